import { fold } from "../../language/tokenize.ts";
import { sentencesOf } from "../../language/sentences.ts";
import type { Passage } from "../passage.ts";
import { clausesOf } from "./statements.ts";
import { figuresOf, type Figure } from "./figures.ts";
import { tellingOf, wordingOf, type Telling, type Wording } from "./wording.ts";

/** A part of a sentence, or a cell of a table with its row and column. */
export interface SourceClause extends Wording {
  readonly folded: string;
  readonly figures: readonly Figure[];
  readonly group: number; // Number of the sentence, or of the table, that it is a part of.
  readonly telling: Telling;
}

/** A passage, read for what statements are compared with. */
export interface SourceText extends Wording {
  readonly folded: string; // Title, text, address and symbols, folded.
  readonly figures: readonly Figure[];
  readonly clauses: readonly SourceClause[]; // Parts of the sentences, and table cells with their row and column.
  readonly isNews: boolean;
}

/** What a statement is checked against. */
export interface StatementContext {
  readonly sources: readonly SourceText[]; // The passages that it cites.
  readonly all: readonly SourceText[]; // All that the model was given.
  readonly figures: readonly Figure[]; // Figures of all passages that the reply cites anywhere.
  /** The question, and the one before. */
  readonly asked: { readonly folded: string; readonly figures: readonly Figure[]; readonly wording: Wording };
}

/** Reads a passage. */
export function readSource(passage: Passage): SourceText {
  const { title, text, url, published_at, symbols = [] } = passage;
  const parts = sentencesOf(text).map((sentence) => (ROW.test(sentence) ? [] : clausesOf(sentence)));
  const clauses = [...parts, cellsOf(text)].flatMap((group, number) =>
    group.map((part): SourceClause => {
      const folded = fold(part);
      const figures = figuresOf(folded);
      return { folded, figures, group: number, telling: tellingOf(part), ...wordingOf(part) };
    }),
  );
  const published = figuresOf(datesAround(published_at));
  const whole = [title, ...(passage.aliases ?? []), text, url, symbols.join(" ")].join("\n");
  return {
    folded: fold(whole),
    figures: [...published, ...figuresOf(fold(`${title}\n${text}`))],
    clauses,
    ...wordingOf(whole),
    isNews: passage.kind === "news",
  };
}

const ROW = /^\s*\|/;

function cellsOf(text: string): string[] {
  let header: readonly string[] = [];
  return text.split("\n").flatMap((line) => {
    const cells = ROW.test(line) ? line.split("|").slice(1) : [];
    if (cells.length === 0 || header.length === 0) header = cells;
    return cells
      .slice(1)
      .flatMap((cell, at) => clausesOf(cell).map((part) => `${cells[0]!} ${header[at + 1] ?? ""} ${part}`));
  });
}

/** The day of publication in UTC, and in the time zone of readers ahead of it. */
function datesAround(published_at: string | null): string {
  const at = published_at === null ? Number.NaN : Date.parse(published_at);
  if (Number.isNaN(at)) return "";
  return [0, 8].map((hours) => new Date(at + hours * 3_600_000).toISOString().slice(0, 10)).join(" ");
}
