import type { Language } from "../contract/schemas/shared-fields.ts";

/** The language of a BCP 47 tag: `zh` for every Chinese tag (`zh-TW`, `cmn`, `yue`); undefined if it is not supported. */
export function languageOfTag(tag: string): Language | undefined {
  const [, found] = /^(zh|cmn|yue|en)(?![a-z])/i.exec(tag.trim()) ?? [];
  return found === undefined ? undefined : found.toLowerCase() === "en" ? "en" : "zh";
}

/** The supported language nearest to a tag: `zh` for every Chinese tag, `en` for all others. */
export const nearestLanguage = (tag: string): Language => languageOfTag(tag) ?? "en";
/** A variant of Traditional Chinese: Taiwan, or Hong Kong and Macau. */
export type Script = "tw" | "hk";

/** The script of a tag for Traditional Chinese (`zh-TW`, `zh-Hant`, `zh-HK`); undefined for any other. */
export function scriptOfTag(tag: string): Script | undefined {
  const [, found] = /^(?:zh|cmn|yue)[-_](hant[-_](?:hk|mo)|hant|tw|hk|mo)(?![a-z])/i.exec(tag.trim()) ?? [];
  return found === undefined ? undefined : /(?:hk|mo)$/i.test(found) ? "hk" : "tw";
}

const HAN = /\p{Script=Han}/u;
/** Whether the text holds a Chinese character. */
export const hasHan = (text: string): boolean => HAN.test(text);

/** The language of a text by its script. Chinese questions and headlines carry English names and tickers ("BTC 今天怎么样"),
 * so a few Chinese characters decide; an English sentence that quotes one Chinese name stays English. Japanese and Korean
 * are answered in English. `fallback` is the language of a text without words: signs, numbers, one or two codes, "ok".
 * @example detectLanguage("BTC 今天怎么样"); // "zh" */
export function detectLanguage(text: string, fallback: Language = "en"): Language {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  const others = text.match(/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  if (4 * others >= han)
    return /^\P{L}*(?:(?:\p{Lu}{1,8}|[Oo]k(?:ay)?)(?:\P{L}+|$)){0,2}$/u.test(text) ? fallback : "en";
  return han * 2 >= (text.match(/\p{Script=Latin}{2,}/gu)?.length ?? 0) ? "zh" : "en";
}
