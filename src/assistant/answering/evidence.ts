import type { AnswerRequest } from "../answer.ts";
import { conceptsIn } from "../routing/routing-concepts.ts";
import type { Passage } from "../passage.ts";
import { languageOfTag } from "../../language/detect-language.ts";
import type { Hit, PassageIndex } from "../retrieval/passage-index.ts";
import { toQuery } from "../retrieval/query.ts";
import type { Query } from "../retrieval/query.ts";
import { isElliptical, withoutResearch } from "../routing/routing-rules.ts";
import { ASSETS } from "../../language/assets.ts";
import { termsOf } from "../../language/terms.ts";

/** The passages that may answer a question, best first, and the query that found them. */
export interface Evidence {
  readonly query: Query;
  readonly hits: readonly Hit[];
  /** Whether the question names a subject, rather than "the latest news". */
  readonly distinctive: boolean;
}

/** Terms of questions about news and notices that do not name their subject. */
const GENERIC_TERMS: ReadonlySet<string> = new Set(
  termsOf(
    "news headline story stories latest new newest today yesterday recent recently happen happened important update " +
      "crypto cryptocurrency market world industry week month announcement notice official brief summary top breaking " +
      "past hour day brief summarize catch list listed token coin pair add platform exchange lumex " +
      "新闻 资讯 消息 最新 最近 今天 今日 近期 昨天 昨晚 本周 这周 币圈 加密 货币 行业 市场 重要 发生 大事 事件 快讯 头条 " +
      "公告 通知 官方 平台 动态 要闻 给我 看看 来点 过去 小时 总结 简报 告诉 昨日 值得 关注 上线 新币 下架 活动 维护 规则 调整 交易所 交易对 鹿鸣",
  ),
);

const GENERIC_WEIGHT = 0.2;
/** Terms of assets: they select the items of a list, and are not a subject by themselves. */
const ASSET_TERMS: ReadonlySet<string> = new Set(
  ASSETS.filter(({ ambiguous }) => ambiguous !== true).map(({ symbol }) => symbol.toLowerCase()),
);

/** The concept of a sub-intent of `help`, where their names differ. */
const CONCEPT_OF: Readonly<Record<string, string>> = {
  withdrawal: "withdraw",
  security: "threat",
  login: "signing",
  fees: "fee",
  spot: "order",
  margin: "borrow",
  p2p: "fiat",
  membership: "plan",
  token: "platform_token",
  statements: "report",
};
/** Factor for an article whose title names the concept of the sub-intent. */
const TITLE_BOOST = 1.25;

/** Routes that are answered from passages. */
export type SearchedRoute = "help" | "notice" | "news" | "out_of_scope";

/** Weight of a kind of passage for a route. */
const PRIORS: Readonly<Record<SearchedRoute, Readonly<Record<Passage["kind"], number>>>> = {
  // Only the platform's own content says how it works: a headline that shares a question's words does not answer it.
  help: { help: 1, notice: 0.7, news: 0 },
  notice: { help: 0.6, notice: 1, news: 0.4 },
  news: { help: 0.3, notice: 0.7, news: 1 },
  out_of_scope: { help: 1, notice: 1, news: 1 },
};

/** Number of passages that are ranked, and passed to a model. */
const BREADTH = { narrow: 6, wide: 14 };

const DAY_MS = 86_400_000;
/** Age at which a passage has half its weight: news two weeks, notices four months. Help does not age. */
const HALF_WEIGHT_DAYS: Readonly<Record<Passage["kind"], number>> = { help: Infinity, notice: 120, news: 14 };

function recency(passage: Passage, now: number): number {
  if (passage.published_at === null) return 1;
  const days = Math.max(0, now - Date.parse(passage.published_at)) / DAY_MS;
  return 1 / (1 + days / HALF_WEIGHT_DAYS[passage.kind]);
}

/** Searches the passages of the question's language. A follow-up also searches for the question before. */
export function findEvidence(request: AnswerRequest, index: PassageIndex, route: SearchedRoute): Evidence {
  const { question, history, routing, token_symbol, now, wide } = request;
  const previous = isElliptical(question) ? history.at(-1)?.question : undefined;
  const asked = index.correctSpelling(
    toQuery(withoutResearch(question), {
      ...(previous === undefined ? {} : { previous }),
      ...(token_symbol === undefined ? {} : { asset: token_symbol }),
    }),
  );
  const timely = route === "news" || route === "notice";
  const query = timely ? { ...asked, terms: dampGenericTerms(asked.terms) } : asked;
  const concept = CONCEPT_OF[routing.sub_intent] ?? routing.sub_intent;
  const understood = ({ title }: Passage): number => (conceptsIn(title).has(concept) ? TITLE_BOOST : 1);
  const breadth = wide ? BREADTH.wide : BREADTH.narrow;
  const hits = index
    .search(query, breadth * 3, ({ kind, lang }) => PRIORS[route][kind] > 0 && languageOfTag(lang) === routing.lang)
    .map((hit) => ({
      ...hit,
      score: hit.score * PRIORS[route][hit.passage.kind] * recency(hit.passage, now) * understood(hit.passage),
    }))
    .sort((a, b) => b.score - a.score || a.number - b.number)
    .slice(0, breadth);
  const distinctive = [...query.terms].some(
    ([term, weight]) => weight >= 1 && !ASSET_TERMS.has(term) && !GENERIC_TERMS.has(term),
  );
  return { query, hits, distinctive };
}

function dampGenericTerms(terms: ReadonlyMap<string, number>): Map<string, number> {
  return new Map(
    [...terms].map(([term, weight]) => [term, GENERIC_TERMS.has(term) ? weight * GENERIC_WEIGHT : weight]),
  );
}
