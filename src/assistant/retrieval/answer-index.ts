import type { Dictionary } from "../../language/dictionary/dictionary.ts";
import { Thesaurus, type MeaningRows } from "../../language/thesaurus.ts";
import type { Passage, PassageChanges } from "../passage.ts";
import { EvidenceIndex } from "./evidence-index.ts";
import { QuestionTerms } from "./question-terms.ts";
import { type Search, rankArticles, type RankedArticle } from "./rank-articles.ts";
import { clausesOf } from "./clauses.ts";
import { chooseWindow } from "./choose-window.ts";
import type { Evidence } from "./evidence-features.ts";

/** What the assistant answers from: the passages, ready for search. */
export class AnswerIndex {
  readonly #evidence = new EvidenceIndex();
  readonly #terms: QuestionTerms;

  /** @param lexicon the operator's words for what the passages are about, beside the everyday ones */
  constructor(dictionary: Dictionary, passages: readonly Passage[] = [], lexicon: MeaningRows = []) {
    this.#terms = new QuestionTerms(this.#evidence, dictionary, new Thesaurus(lexicon));
    this.change({ removed: [], added: passages });
  }

  /** Applies changes, at the cost of what changes. Results are then those of an index built anew. */
  change(changes: PassageChanges): void {
    this.#evidence.change(changes);
  }

  get size(): number {
    return this.#evidence.size;
  }

  /** All passages, in no particular order. */
  passages(): Passage[] {
    return Array.from(this.#evidence.passages(), ({ passage }) => passage);
  }

  search(search: Search): Findings {
    return gatherEvidence(this.#evidence, this.#terms, search);
  }
}

/** What was found for a question. */
export interface Findings {
  /** All matching articles, best first. */
  readonly ranked: readonly RankedArticle[];
  /** The best articles with the parts that answer; the first few of `ranked`. */
  readonly evidence: readonly Evidence[];
  /** The evidence that an answer quotes: one article, or two for two questions or where they are close. */
  readonly quoted: readonly Evidence[];
}

/** Articles whose parts are compared; more for a wide answer. */
const COMPARED = { usual: 3, wide: 5 };
/** A second article is quoted if it scores this share of the first; then both are quoted shorter. */
const CLOSE = { share: 0.85, length: 0.75 };

/** What an article scores more when its part contains the kind of answer that is asked for: a time, a number. */
const FIT = 0.08;

/** Searches the index for a question, and chooses the parts of the best articles. */
export function gatherEvidence(index: EvidenceIndex, terms: QuestionTerms, search: Search): Findings {
  const ranked = rankArticles(index, terms, search);
  const partOf = (article: RankedArticle, length?: number): Evidence[] => {
    const window = chooseWindow(article, article.found.details.units, search.question, length);
    return window === undefined ? [] : [{ article, window }];
  };
  const evidence = ranked
    .slice(0, COMPARED[search.wide === true ? "wide" : "usual"])
    .flatMap((article) => partOf(article))
    .map(withFit)
    .sort((a, b) => b.article.score - a.article.score);
  const [first, second] = evidence;
  const isClose =
    first !== undefined && second !== undefined && second.article.score >= CLOSE.share * first.article.score;
  const isDouble = second !== undefined && (isClose || clausesOf(search.question).length > 1);
  const quoted = isDouble
    ? evidence.slice(0, 2).flatMap(({ article }) => partOf(article, CLOSE.length))
    : evidence.slice(0, 1);
  return { ranked, evidence, quoted };
}

/** An article whose part contains the kind of answer that is asked for scores more. */
function withFit(part: Evidence): Evidence {
  const { article, window } = part;
  return window.fits === true ? { article: { ...article, score: article.score + FIT }, window } : part;
}
