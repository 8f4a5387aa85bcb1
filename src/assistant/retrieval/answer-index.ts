import type { Dictionary } from "../../language/dictionary/dictionary.ts";
import { openThesaurus, type MeaningRows } from "../../language/thesaurus.ts";
import type { Passage } from "../passage.ts";
import { EvidenceIndex } from "./evidence-index.ts";
import { QuestionTerms } from "./question-terms.ts";
import { type Search, rankArticles, type RankedArticle } from "./rank-articles.ts";
import { clausesOf } from "./clauses.ts";
import { chooseWindow } from "./choose-window.ts";
import TUNING from "./tuning.json" with { type: "json" };
import type { Evidence } from "./evidence-features.ts";

/** What the assistant answers from: the passages, ready for search. */
export class AnswerIndex extends EvidenceIndex {
  readonly #terms: QuestionTerms;

  /** @param lexicon the operator's words for what the passages are about, beside the everyday ones */
  constructor(dictionary: Dictionary, passages: readonly Passage[] = [], lexicon: MeaningRows = []) {
    super();
    this.#terms = new QuestionTerms(this, dictionary, openThesaurus(lexicon));
    this.change({ removed: [], added: passages });
  }

  /** Searches for a question, and chooses the parts of the best articles. */
  search(search: Search): Findings {
    const ranked = rankArticles(this, this.#terms, search);
    const partOf = (article: RankedArticle, length?: number): Evidence[] => {
      const window = chooseWindow(article, article.found.details().units, search.question, length);
      return window === undefined ? [] : [{ article, window }];
    };
    const evidence = ranked
      .slice(0, ARTICLES.compared[search.wide === true ? "wide" : "usual"])
      .flatMap((article) => partOf(article))
      .map(withFit)
      .sort((a, b) => b.article.score - a.article.score);
    const [first, second] = evidence;
    const isClose =
      first !== undefined && second !== undefined && second.article.score >= ARTICLES.close.share * first.article.score;
    const isDouble = second !== undefined && (isClose || clausesOf(search.question).length > 1);
    const quoted = isDouble
      ? evidence.slice(0, 2).flatMap(({ article }) => partOf(article, ARTICLES.close.length))
      : evidence.slice(0, 1);
    return { ranked, evidence, quoted };
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

const { articles: ARTICLES } = TUNING;

function withFit(part: Evidence): Evidence {
  const { article, window } = part;
  return window.fits === true ? { article: { ...article, score: article.score + ARTICLES.fit }, window } : part;
}
