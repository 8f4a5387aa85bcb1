import { hasHan } from "./detect-language.ts";
import { toSimplified } from "./traditional.ts";

const MARKS = /\p{M}+/gu;
/** More marks in a row than any language has (UAX #15 "Stream-Safe Text Format"): sorting them takes quadratic time. */
const TOO_MANY_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;
const ASCII = /^[\x00-\x7f]*$/;

/**
 * One form of texts that differ in compatibility forms, case, accents, or traditional characters.
 *
 * @example
 * fold("Ｃafé 提幣"); // "cafe 提币"
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const safe = text.replace(TOO_MANY_MARKS, "$1");
  const lower = safe.normalize("NFKC").toLowerCase().normalize("NFD").replace(MARKS, "").normalize("NFC");
  return hasHan(lower) ? toSimplified(lower) : lower;
}
