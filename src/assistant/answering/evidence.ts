import type { AnswerRequest } from "../answer.ts";
import type { Passage } from "../passage.ts";
import { isOfLang } from "../passage.ts";
import type { Hit, PassageIndex } from "../retrieval/passage-index.ts";
import { toQuery } from "../retrieval/query.ts";
import type { Query } from "../retrieval/query.ts";
import { isElliptical } from "../routing-rules.ts";

/** The passages that may answer a question, best first, and the query that found them. */
export interface Evidence {
  readonly query: Query;
  readonly hits: readonly Hit[];
}

/** Routes that are answered from passages. */
export type SearchedRoute = "help" | "notice" | "news" | "out_of_scope";

/** How much a kind of passage counts for a route. */
const PRIORS: Readonly<Record<SearchedRoute, Readonly<Record<Passage["kind"], number>>>> = {
  help: { help: 1, notice: 0.7, news: 0.4 },
  notice: { help: 0.6, notice: 1, news: 0.4 },
  news: { help: 0.3, notice: 0.7, news: 1 },
  out_of_scope: { help: 1, notice: 1, news: 1 },
};

/** Passages that are looked at, and handed to a model. */
const BREADTH = { narrow: 6, wide: 14 };

const DAY_MS = 86_400_000;
/** News loses a third of its weight in a week and half in two; notices a fifth in a month. Help does not age. */
const HALF_WEIGHT_DAYS: Readonly<Record<Passage["kind"], number>> = { help: Infinity, notice: 120, news: 14 };

function freshness(passage: Passage, now: number): number {
  if (passage.published_at === null) return 1;
  const days = Math.max(0, now - Date.parse(passage.published_at)) / DAY_MS;
  return 1 / (1 + days / HALF_WEIGHT_DAYS[passage.kind]);
}

/** Searches the passages of the question's language. A follow-up also looks for what was asked before. */
export function findEvidence(request: AnswerRequest, index: PassageIndex, route: SearchedRoute): Evidence {
  const { question, history, routing, token_symbol, now, wide } = request;
  const context: string[] = [];
  const previous = history.at(-1)?.question;
  if (previous !== undefined && isElliptical(question)) context.push(previous);
  if (token_symbol !== undefined) context.push(token_symbol);
  const query = index.respell(toQuery(question, context));
  const breadth = wide ? BREADTH.wide : BREADTH.narrow;
  const hits = index
    .search(query, breadth * 3, (passage) => isOfLang(passage.lang, routing.lang))
    .map((hit) => ({
      ...hit,
      score: hit.score * PRIORS[route][hit.passage.kind] * freshness(hit.passage, now),
    }))
    .sort((a, b) => b.score - a.score || a.number - b.number)
    .slice(0, breadth);
  return { query, hits };
}
