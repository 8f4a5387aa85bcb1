import { z } from "zod";
import { parseJson } from "../../runtime/json/parse-json.ts";

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
