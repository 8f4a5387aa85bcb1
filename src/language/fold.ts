import type { Language } from "./detect-language.ts";
import { toSimplified } from "./traditional.ts";

const HAN = /\p{Script=Han}/u;
const HAN_ALL = /\p{Script=Han}/gu;
const LATIN_WORDS = /\p{Script=Latin}{2,}/gu;
const MARKS = /\p{M}+/gu;
const ASCII = /^[\x00-\x7f]*$/;

/** One form for what readers take as the same: compatibility forms, case, accents, traditional characters. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const lower = text.normalize("NFKC").toLowerCase().normalize("NFD").replace(MARKS, "").normalize("NFC");
  return HAN.test(lower) ? toSimplified(lower) : lower;
}

/** Whether the text holds a Chinese character. */
export function hasHan(text: string): boolean {
  return HAN.test(text);
}

/**
 * The language to answer in. Chinese questions carry English names and tickers ("BTC 今天怎么样"), so a few Chinese
 * characters decide; an English sentence that quotes one Chinese name stays English.
 */
export function languageOf(text: string): Language {
  const han = text.match(HAN_ALL)?.length ?? 0;
  if (han === 0) return "en";
  const words = text.match(LATIN_WORDS)?.length ?? 0;
  return han * 2 >= words ? "zh" : "en";
}
