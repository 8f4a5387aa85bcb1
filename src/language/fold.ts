import { hasHan } from "./detect-language.ts";
import { toSimplified } from "./traditional.ts";

const MARKS = /\p{M}+/gu;
const ASCII = /^[\x00-\x7f]*$/;

/**
 * One form of texts that differ in compatibility forms, case, accents, or traditional characters.
 *
 * @example
 * fold("Ｃafé 提幣"); // "cafe 提币"
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const lower = text.normalize("NFKC").toLowerCase().normalize("NFD").replace(MARKS, "").normalize("NFC");
  return hasHan(lower) ? toSimplified(lower) : lower;
}
