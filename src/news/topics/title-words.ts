import { HEADLINE_STOP_WORDS } from "../../language/stop-words.ts";
import { stem } from "../../language/tokenize.ts";
import { readWords } from "../../runtime/text/data-rows.ts";

/** Capitalised words that name no company, protocol or person. */
const NO_NAME = new Set(readWords(new URL("data/capitalised-words.txt", import.meta.url)));
const COMMON = new Set(readWords(new URL("data/common-words.txt", import.meta.url)));
const isListed = (word: string): boolean =>
  HEADLINE_STOP_WORDS.has(stem(word)) || (NO_NAME.has(word) && COMMON.has(word));
/** Whether a capitalised word is an ordinary word with which no name starts; "US" is a name. */
export const isStopWord = (word: string): boolean => /^.\P{Lu}*$/u.test(word) && isListed(word.toLowerCase());
/** Whether a capitalised word at the start of a title is not part of a name. */
export const isCommon = (word: string): boolean =>
  COMMON.has(word.toLowerCase().replace(/['’]s$/, "")) ||
  isStopWord(word) ||
  /^.\P{Lu}{2,}(?:tion|ment|ness|ism|ists|ings?)$/u.test(word);
export const isNoName = (word: string): boolean => NO_NAME.has(word.toLowerCase()) || isCommon(word);

/** Whether most words of a title are capitalised, so that a capital does not indicate a name. */
export function isTitleCase(title: string): boolean {
  const words = title.match(/(?<!\p{L})\p{Script=Latin}{4,}/gu) ?? [];
  return words.length > 3 && words.filter((word) => /^\p{Lu}/u.test(word)).length > words.length * 0.7;
}
