import { readRows } from "../runtime/data-rows.ts";

const PAIRS = readRows(new URL("data/traditional.txt", import.meta.url)).flat(2);
const SIMPLIFIED = new Map(PAIRS.map(([traditional = "", simplified = ""]) => [traditional, simplified]));

const TRADITIONAL = new RegExp(`[${Array.from(SIMPLIFIED.keys()).join("")}]`, "gu");

/**
 * The text with frequent traditional Chinese characters replaced by their simplified forms; its length is kept. Only
 * matching uses it: answers quote their sources verbatim.
 */
export function toSimplified(text: string): string {
  return text.replace(TRADITIONAL, (character) => SIMPLIFIED.get(character)!);
}
