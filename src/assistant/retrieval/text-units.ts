import { sentencesOf } from "../../language/sentences.ts";
import { plainText } from "../../language/plain-text.ts";
import { encode } from "../encoder/encoder.ts";
import { searchTerms } from "./language-index.ts";

/** The smallest part of a text that an answer quotes: a sentence, an item of a list, a row of a table. */
export interface TextUnit {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  readonly meaning: Float32Array; // Its unit vector.
  readonly block: number; // Number of its paragraph.
  readonly line: number;
  /** A sentence, an item or row, or a line that introduces what follows it. */
  readonly kind: "sentence" | "item" | "heading";
  readonly head?: string; // For a table row: the first row, which usually has the column headings.
}

const ITEM = /^\s*(?:[-*•·]\s|\d{1,2}[.)、]|[（(]\d{1,2}[)）]|\|)/;
const ROW = /[^\s|] *\| *[^\s|]/;
const HEADING = /[:：]\s*$/;
const KEYED = /^[^:：。.!?！？]{1,60}[:：]\s*[^\s:：]/u; // "Cash: EUR 300", an item if a neighbouring line is one too.

/** Splits an article's text, in HTML, Markdown or plain, into its units, in order. */
export function unitsOf(article: string): TextUnit[] {
  const units: TextUnit[] = [];
  let block = 0;
  let head: string | undefined; // First row of the table that the previous line belongs to.
  const lines = plainText(article, "- ").split("\n");
  const isKeyed = (line = ""): boolean => KEYED.test(line) && sentencesOf(line).length === 1;
  for (const [number, line] of lines.entries()) {
    if (line.trim() === "") block++;
    if (!/[\p{L}\p{N}]/u.test(line)) continue;
    const isRow = ROW.test(line);
    const isKeyedItem = isKeyed(line) && (isKeyed(lines[number - 1]) || isKeyed(lines[number + 1]));
    const kind = isRow || isKeyedItem || ITEM.test(line) ? "item" : HEADING.test(line) ? "heading" : "sentence";
    const texts = kind === "item" ? [line.trim()] : sentencesOf(line);
    for (const text of texts) {
      const terms = new Set(searchTerms(text));
      const meaning = encode([terms, 1]);
      units.push({ text, terms, meaning, block, line: number, kind, ...(isRow && head !== undefined && { head }) });
    }
    head = isRow ? (head ?? texts[0]) : undefined;
  }
  return units;
}
