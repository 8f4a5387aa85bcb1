import { searchTerms } from "./language-index.ts";
import type { AnswerWindow } from "./choose-window.ts";
import { titlesOf } from "../passage.ts";
import { matchOf, type RankedArticle } from "./rank-articles.ts";
import type { Routing } from "../routing/routing.ts";
import { isFunctional } from "../../language/stop-words.ts";

/** An article that may answer, with its best part. */
export type Evidence = { readonly article: RankedArticle; readonly window: AnswerWindow };
const TELLING = 0.8;
/** From this confidence on, the router knows that a question is out of scope. */
export const SURE_OF_SCOPE = 0.8;

/** What the evidence for a question, the best first, is like, and what the question is taken for: shares, ratios and
 * flags that mean the same in any corpus. */
export function featuresOf(
  [best, ...rest]: readonly [Evidence, ...Evidence[]],
  ranked: readonly RankedArticle[],
  { isFollowUp, routing: { route, confidence } }: { readonly isFollowUp: boolean; readonly routing: Routing },
) {
  const { article, window } = best;
  const { found, groups } = article;
  const { titleTerms, bodyTerms } = found.details();
  const has = (term: string): boolean => titleTerms.has(term) || bodyTerms.has(term);
  const telling = groups.filter(({ weight }) => weight >= TELLING);
  const unmatched = telling.filter(({ alternatives }) => matchOf(alternatives, has) === 0);
  const others = ranked.filter((other) => other.found !== found);
  const gapTo = (other: RankedArticle | undefined): number =>
    (article.score - (other?.score ?? 0)) / (article.score || 1);
  const otherWindow = Math.max(0, ...rest.map((other) => other.window.score));
  const flag = (condition: boolean): number => (condition ? 1 : 0);
  return {
    score: article.score,
    own: Math.max(article.own, article.cross),
    gap: gapTo(others[0]),
    gapToThird: gapTo(others[1]),
    titleCoverage: article.titleCoverage,
    titleAsked: titleAsked(article),
    unmatched: telling.length === 0 ? 1 : unmatched.length / telling.length,
    bestWindow: flag(window.score >= otherWindow),
    windowGap: window.score - otherWindow,
    bestOther: flag(article.cross > 0 && others.every((other) => other.cross <= article.cross)),
    misfits: flag(window.fits === false),
    groups: Math.log(1 + telling.length),
    single: flag(telling.length <= 1),
    foreign: flag(article.own === 0),
    followUp: flag(isFollowUp),
    notice: flag(found.passage.kind !== "help"),
    outOfScope: flag(route === "out_of_scope"),
    surelyOutOfScope: flag(route === "out_of_scope" && confidence >= SURE_OF_SCOPE),
  };
}

/** Share of the telling terms of the title, or of another way to ask for the article, that the question says. */
function titleAsked({ found, groups }: RankedArticle): number {
  const said = new Set(groups.flatMap(({ alternatives }) => alternatives.flatMap(({ terms }) => terms)));
  const shares = titlesOf(found.passage).map((title) => {
    const telling = Array.from(new Set(searchTerms(title))).filter((term) => !isFunctional(term));
    return telling.length === 0 ? 0 : telling.filter((term) => said.has(term)).length / telling.length;
  });
  return Math.max(...shares);
}
