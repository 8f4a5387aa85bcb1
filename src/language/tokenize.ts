import { fold } from "./fold.ts";

const TOKENS = /(?<!\d)\d+(?:[.,]\d+)+|\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}])+(?:['’][a-z]+)?/gu;
const IS_HAN = /^\p{Script=Han}/u;

/** A run of Chinese characters, or a word or number of another script; folded. */
export interface Token {
  readonly text: string;
  readonly han: boolean;
}

/**
 * The words, numbers and Chinese runs of a text, folded, in order.
 *
 * @example
 * tokenize("What's the 提现 fee, 1,000?"); // what, the, 提现, fee, 1000
 */
export function tokenize(text: string): Token[] {
  return tokenizeFolded(fold(text));
}

/** Tokens of a text that is folded. */
export function tokenizeFolded(folded: string): Token[] {
  const tokens: Token[] = [];
  for (const [match] of folded.matchAll(TOKENS)) {
    if (IS_HAN.test(match)) tokens.push({ text: match, han: true });
    else if (/^\d/.test(match) && match.includes(",")) tokens.push({ text: match.replaceAll(",", ""), han: false });
    else tokens.push({ text: match.replace(/['’].*/, ""), han: false });
  }
  return tokens;
}
