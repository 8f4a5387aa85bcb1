import { z } from "zod";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { parseJson } from "../../runtime/json/parse-json.ts";
import type { Passage } from "../passage.ts";
import CORRECTIONS from "./data/corrections.json" with { type: "json" };

/** A fault of a model's reply. `data/corrections.json` has a correction request for each. */
export type ReplyFault = keyof typeof CORRECTIONS;
/** A fault, and the sentence that has it, unless it concerns the whole reply. */
export type Finding = { readonly fault: ReplyFault; readonly sentence?: string };

/** A model's reply and its request. Plain data. */
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

/** A verifier's verdict on a statement, and the calculations that give its figures. */
const statementVerdict = z.strictObject({
  number: z.int(),
  difference: z.string(),
  verdict: z.enum(["supported", "contradicted", "unsupported", "no_claim"]),
  calculations: z.array(z.string()).max(30),
});
const verdicts = z.strictObject({ statements: z.array(statementVerdict) });
export type StatementVerdict = z.infer<typeof statementVerdict>;
/** Verdicts on the statements of a reply, in order; undefined if only the rules decide. */
export type Verdicts = readonly StatementVerdict[] | undefined;

/** Parses a verifier's verdicts, in a code block or not. Undefined unless there is one per statement, in order. */
export function readVerdicts(reply: string, count: number): Verdicts {
  const { data } = verdicts.safeParse(parseJson(reply.replace(/^\s*```(?:json)?|```\s*$/g, "")));
  const isWhole = data?.statements.length === count && data.statements.every(({ number }, at) => number === at + 1);
  return isWhole ? data.statements : undefined;
}
