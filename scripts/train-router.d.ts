import type { TrainedModel } from "../src/assistant/routing/classifier/classifier.ts";
import type { Annotator } from "../src/assistant/routing/classifier/features.ts";

/** One labelled utterance. */
export type Example = { readonly text: string; readonly label: string };

export function seedExamples(): Example[];
export function train(examples: readonly Example[], annotate?: Annotator): TrainedModel;
export function trainedRouter(): Uint8Array;
