import type { AnswerIndex, IndexedPassage } from "./answer-index.ts";
import type { Search } from "./question-terms.ts";
import { comparedWithAll, rankArticles, type RankedArticle } from "./rank-articles.ts";
import { chooseWindow, rateUnits } from "./rate-units.ts";
import { product } from "../../runtime/product.ts";
import TUNING from "./tuning.json" with { type: "json" };
import type { Evidence } from "./evidence-features.ts";

const { articles: ARTICLES, ranking: RANKING, windows: WINDOWS } = TUNING;
const MOST_MORE = ARTICLES.fit + ARTICLES.judged * WINDOWS.judged.most; // Maximum that a window adds to an article's order.

/** The search results for a question. */
export interface Findings {
  readonly ranked: readonly RankedArticle[]; // All matching articles, best first.
  readonly evidence: readonly Evidence[]; // The best articles with their windows, from the first few of `ranked`.
  /** The evidence that an answer quotes: one article, or two if their scores are close. */
  readonly quoted: readonly Evidence[];
}

/** Searches for a question, and chooses the windows of the best articles. */
export function findEvidence(index: AnswerIndex, search: Search): Findings {
  const ranked = rankArticles(index, search);
  const always = ARTICLES.compared[search.wide === true ? "wide" : "usual"];
  const most = ranked.reduce((highest, { alike }) => Math.max(highest, alike), 0);
  let best = -Infinity;
  const evidence = ranked
    .slice(0, comparedWithAll(index, search) === undefined ? always : ARTICLES.compared.few)
    .filter(({ found }) => found.details().units.length > 0)
    .flatMap((article, at) => {
      if (at >= always && article.order + MOST_MORE < best) return []; // It cannot become the first one.
      const rating = rateUnits(article, search.question);
      const window = chooseWindow(article, rating);
      const fit = window.fits === true ? ARTICLES.fit : 0;
      const order = article.order + (article.near === undefined ? fit + ARTICLES.judged * window.judged : 0);
      best = Math.max(best, order);
      return [{ article: { ...article, score: article.score + fit, order }, window, rating }];
    })
    .sort(({ article: a }, { article: b }) => b.order - a.order)
    .filter((one, at, all) => !all.slice(0, at).some(({ article }) => areTwins(article.found, one.article.found)))
    .map(({ article, ...part }, at, all) => {
      const lead = Math.min(1, strengthOf(article) - strengthOf(all[at + 1]?.article));
      return { article: { ...article, lead, likest: article.alike === most ? most : 0 }, ...part };
    });
  const [first, second] = evidence;
  const by = first?.article.near === undefined ? "order" : "score";
  const isClose = second !== undefined && second.article[by] >= ARTICLES.close.share * first!.article[by];
  return { ranked, evidence, quoted: inRooms(evidence, isClose ? ARTICLES.close.rooms : [1]) };
}

/** The first articles, each with a window of the given share of the usual length. */
export const inRooms = (evidence: readonly Evidence[], rooms: readonly number[]): Evidence[] =>
  evidence
    .slice(0, rooms.length)
    .map((it, at) => (rooms[at] === 1 ? it : { ...it, window: chooseWindow(it.article, it.rating, rooms[at]) }));

/** The strength of an article by words and by meaning. */
const strengthOf = (article?: RankedArticle): number =>
  article === undefined ? 0 : article.score + RANKING.alike * article.alike + RANKING.part * article.part;

/** Whether two notices are one, published in both languages with an id for each. */
function areTwins({ passage: a, ...one }: IndexedPassage, { passage: b, ...other }: IndexedPassage): boolean {
  const apart = Math.abs(Date.parse(a.published_at ?? "") - Date.parse(b.published_at ?? ""));
  const isLike = a.kind === "notice" && b.kind === "notice" && one.lang !== other.lang && apart <= RANKING.twins.ms;
  return isLike && product(one.subject().meaning, other.subject().meaning) >= RANKING.twins.alike;
}
