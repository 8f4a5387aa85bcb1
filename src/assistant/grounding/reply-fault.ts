import type { Language } from "../../contract/schemas/shared-fields.ts";
import type { Passage } from "../passage.ts";
import type { Verdicts } from "./verdicts.ts";
import CORRECTIONS from "./data/corrections.json" with { type: "json" };

/** What is wrong with a model's reply. Each has a sentence in `data/corrections.json` that asks for another. */
export type ReplyFault = keyof typeof CORRECTIONS;
/** What is wrong, and the sentence that it was found in, if it was found in one. */
export type Finding = { readonly fault: ReplyFault; readonly sentence?: string };

/** A model's reply, and what it replies to. Plain data. */
export interface CheckedRequest {
  readonly reply: string;
  readonly excerpts: readonly Passage[]; // The passages that the model was given, in the order of their numbers.
  readonly question: string;
  readonly previous?: string | undefined;
  readonly lang: Language;
  readonly wide: boolean;
  readonly instructions: string;
  readonly verdicts?: Verdicts;
}
