import { patternsOf } from "../../runtime/text/patterns.ts";
import patterns from "./insult-patterns.json" with { type: "json" };

const { insult } = patternsOf(patterns, "iu");

const ADDRESS = [
  /@/,
  // A scheme, or a name with a top-level domain; browsers take an ideographic full stop for a dot.
  /\w:\/\//,
  /(?:[\p{L}\d-]{2}\.|[a-z\d-]{2}。)[a-z]{2,}(?![\p{L}\d])/iu,
  // Phone numbers, and numbers of accounts and orders; amounts have commas.
  /\d{6}/,
  /(?<!\d)(?:\d[ ()./-]{0,2}){7}/,
  // Wallets, hashes and keys.
  /0x[\da-f]{4}/i,
  /[a-z\d]{24}/i,
];

const MIXED = /[a-z\d_-]{10,}/gi; // A word of letters and digits: an id if it is long and has several digits.
const ID_DIGITS = 3;

/** Whether everybody may see a question: no address, URL, mail, phone, wallet, id or insult, not even in doubt. */
export function isPublic(question: string): boolean {
  const text = question.normalize("NFKC");
  if ([...ADDRESS, insult].some((pattern) => pattern.test(text))) return false;
  return (text.match(MIXED) ?? []).every((word) => (word.match(/\d/g)?.length ?? 0) < ID_DIGITS);
}
