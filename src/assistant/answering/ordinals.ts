import { patternsOf } from "../../runtime/text/patterns.ts";
import PATTERNS from "./ordinal-patterns.json" with { type: "json" };

const ORDINALS = PATTERNS.map((ordinal) => patternsOf(ordinal).says); // The last, the first and so on.

/** The position in a list, from 1, that a question consists of; 0 for the last; undefined for other questions. */
export function ordinalOf(question: string): number | undefined {
  const text = question.normalize("NFKC").toLowerCase().trim();
  const found = ORDINALS.findIndex((says) => says.test(text));
  return found === -1 ? undefined : found;
}
