import type { Decimal } from "decimal.js";
import { fold } from "../../language/tokenize.ts";
import { sentencesOf } from "../../language/sentences.ts";
import type { Passage } from "../passage.ts";
import { clausesOf } from "./statements.ts";
import { figuresOf, type Figure } from "./figures.ts";
import { tellingOf, wordingOf, type Telling, type Wording } from "./wording.ts";

/** A part of a sentence, or a cell of a table with its row and column. */
interface Part {
  readonly text: string;
  readonly before: string; // The part before it in its sentence, or its row.
  readonly group: string; // The sentence, list or table that it is a part of.
  readonly key: string; // What its item or row is about, and its column: "Glide", "Price".
  readonly column: string;
}

/** A part with what it says; all texts are folded. */
export interface SourceClause extends Wording, Part {
  readonly source: string; // Id of the passage.
  readonly figures: readonly Figure[];
  readonly telling: Telling;
}

/** A passage, read for what statements are compared with. */
export interface SourceText extends Wording {
  readonly folded: string; // Title, text, address, outlet and symbols, folded.
  readonly figures: readonly Figure[];
  readonly clauses: readonly SourceClause[]; // Parts of the sentences, and table cells with their row and column.
  readonly isNews: boolean;
}

/** What a statement is checked against. */
export interface StatementContext {
  readonly sources: readonly SourceText[]; // The passages that it cites.
  readonly all: readonly SourceText[]; // All that the model was given.
  readonly figures: readonly Figure[]; // Figures of all passages that the reply cites anywhere.
  readonly said: readonly Figure[]; // Figures of the statements before.
  readonly results: readonly Decimal[]; // Of the calculations that a verifier gave for it.
  /** The question, and the one before. */
  readonly asked: { readonly folded: string; readonly figures: readonly Figure[]; readonly wording: Wording };
}

/** Reads a passage. */
export function readSource(passage: Passage): SourceText {
  const { title, text, url, outlet = "", published_at, symbols = [] } = passage;
  const clauses = partsOf(text).map((part): SourceClause => {
    const words = { telling: tellingOf(part.text), ...wordingOf(part.text) };
    return { ...part, source: passage.id, figures: figuresOf(part.text), ...words };
  });
  const whole = [title, ...(passage.aliases ?? []), text, url, outlet, symbols.join(" ")].join("\n");
  return {
    folded: fold(whole),
    figures: [...figuresOf(datesAround(published_at)), ...figuresOf(fold(`${title}\n${text}`))],
    clauses,
    ...wordingOf(whole),
    isNews: passage.kind === "news",
  };
}

const ROW = /^\s*\|/;
const KEY = /^[^:：。.]{1,60}(?=[:：])/;

function partsOf(text: string): Part[] {
  let [header, table]: [readonly string[], string] = [[], ""];
  return text.split("\n").flatMap((line, number) => {
    const cells = ROW.test(line) ? fold(line).split("|").slice(1, -1) : [];
    if (cells.length === 0 || header.length === 0) [header, table] = [cells, `table ${number}`];
    const [key = ""] = cells;
    const inCells = cells.slice(1).flatMap((cell, at): Part[] => {
      const column = header[at + 1] ?? "";
      const place = { before: cells.join(" "), group: table, key, column };
      return clausesOf(cell).map((part) => ({ text: `${key} ${column} ${part}`, ...place }));
    });
    const sentences = cells.length > 0 ? [] : sentencesOf(line).map(fold);
    // The lines of a list belong together, the sentences of a paragraph do not.
    const isItem = sentences.length === 1;
    const inSentences = sentences.flatMap((sentence, n): Part[] => {
      const subject = (isItem && KEY.exec(sentence)?.[0]) || "";
      const place = { group: isItem ? "list" : `${number}.${n}`, key: subject, column: "" };
      return clausesOf(sentence).map((part, at, all) => ({ text: part, before: all[at - 1] ?? "", ...place }));
    });
    return [...inCells, ...inSentences];
  });
}

/** The day of publication in UTC, and in the time zone of readers ahead of it. */
function datesAround(published_at: string | null): string {
  const at = published_at === null ? Number.NaN : Date.parse(published_at);
  if (Number.isNaN(at)) return "";
  return [0, 8].map((hours) => new Date(at + hours * 3_600_000).toISOString().slice(0, 10)).join(" ");
}
