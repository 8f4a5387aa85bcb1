import type { AnswerIndex } from "./answer-index.ts";
import type { Search } from "./question-terms.ts";
import { rankArticles, type RankedArticle } from "./rank-articles.ts";
import { clausesOf } from "./clauses.ts";
import { chooseWindow } from "./choose-window.ts";
import TUNING from "./tuning.json" with { type: "json" };
import type { Evidence } from "./evidence-features.ts";

const { articles: ARTICLES } = TUNING;

/** What was found for a question. */
export interface Findings {
  /** All matching articles, best first. */
  readonly ranked: readonly RankedArticle[];
  /** The best articles with the parts that answer; the first few of `ranked`. */
  readonly evidence: readonly Evidence[];
  /** The evidence that an answer quotes: one article, or two for two questions or where they are close. */
  readonly quoted: readonly Evidence[];
}

/** Searches for a question, and chooses the parts of the best articles. */
export function findEvidence(index: AnswerIndex, search: Search): Findings {
  const ranked = rankArticles(index, search);
  const partOf = (article: RankedArticle, length?: number): Evidence[] => {
    const window = chooseWindow(article, search.question, length);
    return window === undefined ? [] : [{ article, window }];
  };
  const evidence = ranked
    .slice(0, ARTICLES.compared[search.wide === true ? "wide" : "usual"])
    .flatMap((article) => partOf(article))
    .map(({ article, window }) => {
      const score = article.score + (window.fits === true ? ARTICLES.fit : 0);
      return { article: { ...article, score }, window };
    })
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
