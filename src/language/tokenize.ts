import { hasHan } from "./detect-language.ts";
import { toSimplified } from "./traditional.ts";
import { stemmer } from "stemmer";

const TOKENS =
  /(?<!\d)\d+(?:[.,]\d+)+|\p{Script=Han}+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}])[\p{L}\p{N}])+(?:['’][a-z]+)?|[\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}]+/gu;
const IS_HAN = /^\p{Script=Han}/u;
/** A run of Chinese characters, or a word or number of another script; folded. */
export type Token = { readonly text: string; readonly han: boolean };

/** The words, numbers and Chinese runs of a text, folded, in order.
 * @example tokenize("What's the 提现 fee, 1,000?"); // what, the, 提现, fee, 1000 */
export const tokenize = (text: string): Token[] => tokenizeFolded(fold(text));

/** Tokens of a text that is already folded. */
export function tokenizeFolded(folded: string): Token[] {
  const tokens: Token[] = [];
  for (const match of folded.match(TOKENS) ?? [])
    if (IS_HAN.test(match)) tokens.push({ text: match, han: true });
    else if (/^\d/.test(match) && match.includes(",")) tokens.push({ text: match.replaceAll(",", ""), han: false });
    else tokens.push({ text: match.replace(/['’].*/, ""), han: false });
  return tokens;
}

const MARKS = /\p{M}+/gu;
/** More marks in a row than any language has (UAX #15 "Stream-Safe Text Format"): sorting them takes quadratic time. */
const TOO_MANY_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;
const ASCII = /^[\x00-\x7f]*$/;
const PLAIN = /^[\x00-\x7f\u2010-\u2027\u3000-\u3029\u4e00-\u9fff\uff01-\uff5e]*$/; // Has no marks.

/** Normalizes compatibility forms, case, accents and traditional characters, for comparison.
 * @example fold("Ｃafé 提幣"); // "cafe 提币" */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const safe = PLAIN.test(text) ? text : text.replace(TOO_MANY_MARKS, "$1");
  const whole = safe.normalize("NFKC").toLowerCase();
  const lower = PLAIN.test(whole) ? whole : whole.normalize("NFD").replace(MARKS, "").normalize("NFC");
  return hasHan(lower) ? toSimplified(lower) : lower;
}

const stems = new Map<string, string>(); // Cache: texts are read several times and share most words.

/** The stem of a lower-case English word: Porter, "An algorithm for suffix stripping", Program 14(3), 1980, except that
 * words ending in -us keep their s ("status", "bonus"). Words with digits, below 4 or over 45 letters are unchanged. */
export function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined || !/^[a-z]{4,45}$/.test(word)) return known ?? word;
  const stemmed = stemmer(word);
  const found = word.endsWith("us") && stemmed === word.slice(0, -1) ? word : stemmed;
  if (stems.size >= 20_000) stems.clear();
  stems.set(word, found);
  return found;
}

/** The letters and digits of a text, folded: equal for texts that differ only in punctuation and spacing. */
export const canonical = (text: string): string => (fold(text).match(/[\p{L}\p{N}]+/gu) ?? []).join(""); // V8 keeps the result of a replacement as a tree of its parts.
