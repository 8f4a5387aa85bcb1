import { z } from "zod";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { parseJson } from "../../runtime/json/parse-json.ts";
import type { Passage } from "../passage.ts";
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

/** What a verifier says of a statement, and the calculations that give its figures. */
const statementVerdict = z.strictObject({
  number: z.int(),
  difference: z.string(),
  verdict: z.enum(["supported", "contradicted", "unsupported", "no_claim"]),
  calculations: z.array(z.string()).max(30),
});
const verdicts = z.strictObject({ statements: z.array(statementVerdict) });
export type StatementVerdict = z.infer<typeof statementVerdict>;
/** Verdicts on the statements of a reply, in order; undefined where the rules alone decide. */
export type Verdicts = readonly StatementVerdict[] | undefined;

/** The verdicts of a verifier's reply on so many statements, in a code block or not; undefined unless each is judged
 * once, in order. */
export function readVerdicts(reply: string, count: number): Verdicts {
  const { data } = verdicts.safeParse(parseJson(reply.replace(/^\s*```(?:json)?|```\s*$/g, "")));
  const isWhole = data?.statements.length === count && data.statements.every(({ number }, at) => number === at + 1);
  return isWhole ? data.statements : undefined;
}
