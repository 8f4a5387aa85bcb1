import { patternsOf } from "../../runtime/text/patterns.ts";
import patterns from "../../runtime/text/private-patterns.json" with { type: "json" };

const APOSTROPHE = /['’ʼ`´]/gu; // Apostrophes are removed: "what's" equals "whats".
const INVISIBLE = /[\p{Cf}\p{Cc}]/gu;
/** A point or comma between digits and `%` are part of a number; other punctuation only separates words. */
const PUNCTUATION = /(?<!\d)[.,]|[.,](?!\d)|(?![.,%])\p{P}/gu;
const SPACE = /\s+/gu;
/** Scripts written without spaces, where a space has no meaning: "什么是 AI 积分" is "什么是AI积分". */
const SPACE_BY_HAN =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]) | (?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu;

/** The normal form of questions that differ in width, case, white space or punctuation; empty for a text without words. */
export const normalizeQuestion = (question: string): string =>
  question
    .normalize("NFKC")
    .replace(/\s/gu, " ")
    .replace(INVISIBLE, "")
    .toLowerCase()
    .replace(APOSTROPHE, "")
    .replace(PUNCTUATION, " ")
    .replace(SPACE, " ")
    .replace(SPACE_BY_HAN, "")
    .trim();

/** A question for display: on one line, trimmed. */
export const presentQuestion = (question: string): string =>
  question.replace(SPACE, " ").replace(INVISIBLE, "").trim().toWellFormed();

const PRIVATE = Object.values(patternsOf(patterns, "iu"));
const MIXED = /[a-z\d_-]{10,}/gi; // A word of letters and digits: an id if it is long and has several digits.
const ID_DIGITS = 3;

/** Whether others may see a question: it has nothing like an address, URL, mail, phone, wallet, id or insult. */
export function isPublic(question: string): boolean {
  const text = question.normalize("NFKC");
  if (PRIVATE.some((pattern) => pattern.test(text))) return false;
  return (text.match(MIXED) ?? []).every((word) => (word.match(/\d/g)?.length ?? 0) < ID_DIGITS);
}
