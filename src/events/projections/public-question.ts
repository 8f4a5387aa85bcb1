import { patternsOf } from "../../runtime/text/patterns.ts";
import patterns from "./private-patterns.json" with { type: "json" };

const PRIVATE = Object.values(patternsOf(patterns, "iu"));
const MIXED = /[a-z\d_-]{10,}/gi; // A word of letters and digits: an id if it is long and has several digits.
const ID_DIGITS = 3;

/** Whether everybody may see a question: no address, URL, mail, phone, wallet, id or insult, not even in doubt. */
export function isPublic(question: string): boolean {
  const text = question.normalize("NFKC");
  if (PRIVATE.some((pattern) => pattern.test(text))) return false;
  return (text.match(MIXED) ?? []).every((word) => (word.match(/\d/g)?.length ?? 0) < ID_DIGITS);
}
