import type { Decimal } from "decimal.js";
import { fold } from "../../language/tokenize.ts";
import { sentencesOf } from "../../language/sentences.ts";
import type { Passage } from "../passage.ts";
import { clausesOf } from "./statements.ts";
import { figuresOf, type Figure } from "./figures.ts";
import { contentOf, wordingOf, type Wording } from "./wording.ts";

/** A passage prepared for the comparison with statements; all texts are folded. */
export type SourceText = Readonly<ReturnType<typeof readSource>>;
/** A clause of a sentence, or a table cell with its row and column, and its figures and words. */
export type SourceClause = Readonly<SourceText["clauses"][number]>;

/** What a statement is checked against. */
export interface StatementContext {
  readonly sources: readonly SourceText[]; // The passages that it cites.
  readonly all: readonly SourceText[]; // All passages that the model was given.
  readonly figures: readonly Figure[]; // Figures of all passages that the reply cites anywhere.
  readonly said: readonly Figure[]; // Figures of the statements before.
  readonly results: readonly Decimal[]; // Results of the calculations that a verifier gave for it.
  /** The question and the previous one. */
  readonly asked: { readonly folded: string; readonly figures: readonly Figure[]; readonly wording: Wording };
}

export function readSource({ id: source, kind, aliases = [], ...passage }: Passage) {
  const { title, text, url, outlet = "", published_at, symbols = [] } = passage;
  const whole = [title, ...aliases, text, url, outlet, symbols.join(" ")].join("\n");
  return {
    folded: fold(whole), // Title, text, address, outlet and symbols.
    figures: [...figuresOf(datesAround(published_at)), ...figuresOf(fold(`${title}\n${text}`))],
    clauses: partsOf(text).map((part) => {
      return { ...part, source, figures: figuresOf(part.text), content: contentOf(part.text), ...wordingOf(part.text) };
    }),
    ...wordingOf(whole),
    isNews: kind === "news",
  };
}

const ROW = /^\s*\|/;
const KEY = /^[^:：。.]{1,60}(?=[:：])/;

function partsOf(text: string) {
  let [header, table]: [readonly string[], string] = [[], ""];
  return text.split("\n").flatMap((line, number) => {
    const cells = ROW.test(line) ? fold(line).split("|").slice(1, -1) : [];
    if (cells.length === 0 || header.length === 0) [header, table] = [cells, `table ${number}`];
    const [key = ""] = cells;
    const inCells = cells.slice(1).flatMap((cell, at) => {
      const column = header[at + 1] ?? "";
      const place = { before: cells.join(" "), group: table, key, column };
      return clausesOf(cell).map((part) => ({ text: `${key} ${column} ${part}`, ...place }));
    });
    const sentences = cells.length > 0 ? [] : sentencesOf(line).map(fold);
    // The lines of a list form one group; each sentence of a paragraph is its own group.
    const isItem = sentences.length === 1;
    const inSentences = sentences.flatMap((sentence, n) => {
      const place = {
        group: isItem ? "list" : `${number}.${n}`, // The sentence, list or table that it is a part of.
        key: (isItem && KEY.exec(sentence)?.[0]) || "", // The subject of its item or row, and its column: "Glide", "Price".
        column: "",
      };
      // `before`: the previous part of the sentence, or the row.
      return clausesOf(sentence).map((part, at, all) => ({ text: part, before: all[at - 1] ?? "", ...place }));
    });
    return [...inCells, ...inSentences];
  });
}

/** The day of publication in UTC, and in UTC+8. */
function datesAround(published_at: string | null): string {
  const at = published_at === null ? Number.NaN : Date.parse(published_at);
  if (Number.isNaN(at)) return "";
  return [0, 8].map((hours) => new Date(at + hours * 3_600_000).toISOString().slice(0, 10)).join(" ");
}
