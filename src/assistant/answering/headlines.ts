import { assetsInQuestion } from "../../language/assets.ts";
import { conceptsIn } from "../routing/router.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";
import { languageOfTag } from "../../language/detect-language.ts";
import { type Passage, comparePassages, toSourceItem } from "../passage.ts";
import { searchTerms } from "../retrieval/language-index.ts";
import { plainText } from "../../language/plain-text.ts";
import { sentencesOf } from "../../language/sentences.ts";
import type { Quotation } from "./evidence-answer.ts";

/** Similarity of two titles above which they report the same. */
const DUPLICATE = 0.6;

/** The newest accepted passages, without those that report what a newer one reports, newest first. */
export function newest(
  passages: readonly Passage[],
  now: number,
  limit: number,
  accept: (passage: Passage) => boolean,
): Passage[] {
  const dated = passages
    .filter((passage) => accept(passage))
    .map((passage) => ({ passage, at: passage.published_at === null ? -Infinity : Date.parse(passage.published_at) }))
    .filter(({ at }) => !(at > now))
    .sort((a, b) => b.at - a.at || comparePassages(a.passage, b.passage));
  const kept: { passage: Passage; terms: Set<string> }[] = [];
  for (const { passage } of dated) {
    if (kept.length >= limit) break;
    const terms = new Set(searchTerms(passage.title));
    if (kept.every((other) => jaccard(other.terms, terms) < DUPLICATE)) kept.push({ passage, terms });
  }
  return kept.map(({ passage }) => passage);
}

/** Headlines under a lead, one a line, each with its source. */
export function listHeadlines(passages: readonly Passage[], lead: string): Quotation {
  const sources = passages.map((passage) => toSourceItem(passage, passage.title));
  return { text: [lead, ...passages.map(({ title }) => title)].join("\n"), sources };
}

/** The first sentence of each passage, one a line, each with its source. */
export function listOpenings(passages: readonly Passage[]): Quotation {
  const openings = passages.map((passage) => sentencesOf(plainText(passage.text))[0]?.text ?? passage.title);
  return {
    text: openings.join("\n"),
    sources: passages.map((passage, at) => toSourceItem(passage, openings[at]!)),
  };
}

/** Whether a passage is of a kind and of the language. */
export function isOf(kind: Passage["kind"], lang: Language): (passage: Passage) => boolean {
  return (passage) => passage.kind === kind && languageOfTag(passage.lang) === lang;
}

/** Whether a passage's title names the concept: `listing` for "鹿鸣交易所上线 ORCH". */
export function isAbout(concept: string): (passage: Passage) => boolean {
  return ({ title }) => conceptsIn(title).has(concept);
}

/** Whether a passage is about one of the assets, by its symbols or its title. */
export function isAboutAsset(assets: ReadonlySet<string>): (passage: Passage) => boolean {
  return ({ title, symbols = [] }) =>
    symbols.some((symbol) => assets.has(symbol.toUpperCase())) ||
    [...assetsInQuestion(title)].some((asset) => assets.has(asset));
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const term of a) if (b.has(term)) shared++;
  return shared / Math.max(1, a.size + b.size - shared);
}
