import { readWords } from "../runtime/text/data-rows.ts";

const PAIRS = readWords(new URL("data/traditional.txt", import.meta.url));
const SIMPLIFIED = new Map(PAIRS.map(([traditional = "", simplified = ""]) => [traditional, simplified]));
const TRADITIONAL = new RegExp(`[${Array.from(SIMPLIFIED.keys()).join("")}]`, "gu");

/** The text with frequent traditional characters simplified, its length kept: for matching only, never for quotes. */
export const toSimplified = (text: string): string =>
  text.replace(TRADITIONAL, (character) => SIMPLIFIED.get(character)!);

/** Whether a text has Traditional characters. Those that Simplified texts use too (著名, 乾坤) do not count. */
export function isTraditional(text: string): boolean {
  const distinctive = text.replace(/[乾著]/gu, "");
  return toSimplified(distinctive) !== distinctive;
}
