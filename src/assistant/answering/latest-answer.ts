import type { Language } from "../../contract/schemas/shared-fields.ts";
import { ASSETS, assetsInQuestion } from "../../language/assets.ts";
import type { Passage } from "../passage.ts";
import type { AnswerRequest } from "../answer.ts";
import { searchTerms } from "../retrieval/language-index.ts";
import { STOP_CHARACTERS, STOP_PAIRS, STOP_WORDS } from "../../language/stop-words.ts";
import {
  declined,
  quote,
  withModel,
  type AnswerTask,
  type PreparedOutcome,
  type Quotation,
} from "./evidence-answer.ts";
import { isAbout, isAboutAsset, isOf, listHeadlines, listOpenings, newest } from "./headlines.ts";
import { LEADS } from "./replies.ts";

/** Least confidence in a request for the latest items when the question contains other words too. */
const MIN_LIST_CONFIDENCE = 0.9;
/** Number of headlines in a list; of notices on one subject, which are quoted by their first sentence. */
const HEADLINES = { narrow: 5, wide: 10 };
const OPENINGS = { narrow: 3, wide: 6 };

/** Terms of questions about news and notices that do not name their subject. */
const GENERIC_TERMS: ReadonlySet<string> = new Set(
  searchTerms(
    "news headline story stories latest new newest today yesterday recent recently happen happened important update " +
      "crypto cryptocurrency market world industry week month announcement notice official brief summary top breaking " +
      "past hour day brief summarize catch list listed token coin pair add platform exchange lumex " +
      "新闻 资讯 消息 最新 最近 今天 今日 近期 昨天 昨晚 本周 这周 币圈 加密 货币 行业 市场 重要 发生 大事 事件 快讯 头条 " +
      "公告 通知 官方 平台 动态 要闻 给我 看看 来点 过去 小时 总结 简报 告诉 昨日 值得 关注 上线 新币 下架 活动 维护 规则 调整 交易所 交易对 鹿鸣",
  ),
);
/** Terms of assets: they select the items of a list, and are not a subject by themselves. */
const ASSET_TERMS: ReadonlySet<string> = new Set(
  searchTerms(ASSETS.flatMap(({ symbol, names, casual }) => [symbol, ...names, ...casual]).join(" ")),
);

/** Whether a question about news or notices names no subject: "the latest news", "any announcements about BTC?". */
export function asksForLatest({ question, routing: { route } }: AnswerRequest): boolean {
  if (route !== "news" && route !== "notice") return false;
  return searchTerms(question).every((term) => GENERIC_TERMS.has(term) || ASSET_TERMS.has(term) || isFunctional(term));
}

function isFunctional(term: string): boolean {
  const characters = Array.from(term);
  return (
    STOP_WORDS.has(term) ||
    STOP_PAIRS.has(term) ||
    characters.length === 1 ||
    characters.some((c) => STOP_CHARACTERS.has(c))
  );
}

/** A list of the newest news or notices, on the assets or the subject of the question; with a model, its summary of them. */
export function answerLatest(task: AnswerTask): PreparedOutcome {
  const { request, index } = task;
  const { routing, wide, now } = request;
  const { lang, sub_intent, confidence } = routing;
  const kind: Passage["kind"] = routing.route === "notice" ? "notice" : "news";
  const assets = assetsOf(request);
  const isListable =
    asksForLatest(request) || assets.size > 0 || (sub_intent !== "topic" && confidence >= MIN_LIST_CONFIDENCE);
  if (!isListable) return { outcome: declined(request) };
  const related = assets.size > 0 ? isAboutAsset(assets) : isAbout(sub_intent);
  const narrowed = assets.size > 0 || (kind === "notice" && sub_intent !== "latest");
  const ofKind = isOf(kind, lang);
  const limits = narrowed && kind === "notice" ? OPENINGS : HEADLINES;
  const limit = wide ? limits.wide : limits.narrow;
  const items = newest(index.passages(), now, limit, (passage) => ofKind(passage) && (!narrowed || related(passage)));
  if (items.length === 0) return { outcome: declined(request) };
  return withModel(items, quote(listedOf(kind, items, narrowed, lang)), request);
}

function listedOf(kind: Passage["kind"], items: readonly Passage[], narrowed: boolean, lang: Language): Quotation {
  if (narrowed && kind === "notice") return listOpenings(items);
  const lead = kind === "notice" ? LEADS.latestNotices : narrowed ? LEADS.relatedNews : LEADS.latestNews;
  return listHeadlines(items, lead[lang]);
}

/** The assets a question is about: those it names, else the one of the user's page. */
function assetsOf({ question, token_symbol }: AnswerRequest): ReadonlySet<string> {
  const named = assetsInQuestion(question);
  return named.size > 0 || token_symbol === undefined ? named : new Set([token_symbol.toUpperCase()]);
}
