import type { TrainedModel, Annotator } from "../src/assistant/routing/classifier/classifier.ts";

/** One labelled utterance. */
export type Example = { readonly text: string; readonly label: string };

export function seedExamples(): Example[];
export function train(examples: readonly Example[], annotate?: Annotator): TrainedModel;
export function trainedRouter(): Uint8Array;
