import type { Subscription } from "../../accounts/subscriptions.ts";
import { answerMarket } from "../../assistant/answering/replies.ts";
import type { Answer } from "../../assistant/answer.ts";
import type { PreparedQuestion } from "../../assistant/assistant.ts";
import type { HostedAssistant } from "../../assistant/hosted-assistant.ts";
import type { ModelUse } from "../../assistant/model/model-call.ts";
import type { SourceItem } from "../../assistant/passage.ts";
import { AnpError } from "../../contract/errors.ts";
import type { Config } from "../../config/config-schema.ts";
import type { News } from "../../news/news.ts";
import { type Clock, toIso } from "../../runtime/clock.ts";
import { fillTemplate, type TemplateValues } from "../../runtime/text/fill-template.ts";
import type { UserState } from "../user-state.ts";
import type { Question } from "./question.ts";
import WORDINGS from "./account-answers.json" with { type: "json" };

const { facts: FACTS, sentences: SENTENCES } = WORDINGS;
const RECENT_ENTRIES = 3;
const ISO_TIME = /(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]{0,12}(Z|[+-]\d\d:\d\d)/g; // Written as people do, in prose.

type Fact = keyof typeof FACTS;
const FACTS_OF = WORDINGS.facts_of as Readonly<Record<string, readonly Fact[]>>; // Default: balance and quota.

type Answering = { readonly prepared: PreparedQuestion; readonly state: UserState; readonly use: ModelUse };
export type AnswerDeps = Readonly<{ config: Config; clock: Clock; assistant: HostedAssistant; news: News }>;

/** Answers a question: about account or market from their figures, any other from quotable texts. */
export async function answerQuestion(deps: AnswerDeps, question: Question, { prepared, state, use }: Answering) {
  const { asked, subscription } = question;
  const { route } = prepared.routing;
  let answer: Answer;
  if (route === "account") answer = await answerAboutAccount(deps, subscription, { prepared, state, use });
  else if (route === "market") answer = await answerAboutMarket(deps.news, prepared);
  else answer = await deps.assistant.complete(prepared, asked, use);
  // Before the first refresh there was nothing to search, which is not the same as "not found".
  if (answer.outcome === "declined" && (await deps.news.current()).version === 0 && isAwaited(deps.config.news))
    throw new AnpError(1007, "Help center and news have not been read yet; nothing was charged.");
  if (answer.routing.lang !== "zh") return answer;
  if (!(await import("../../language/traditional.ts")).isTraditional(asked.question)) return answer;
  const own = route === "account" ? ["sources.title", "sources.snippet"] : []; // Those of other sources are quotes.
  return deps.assistant.inScript("zh-Hant", answer, "text", ...own);
}

const isAwaited = ({ sources, notices, help }: Config["news"]): boolean =>
  sources.length > 0 || notices !== undefined || Object.keys(help).length > 0;

async function answerAboutMarket(news: News, { routing, kind }: PreparedQuestion): Promise<Answer> {
  const { sub_intent, lang } = routing;
  const { topics, sentiment_overview } = await news.hotTopics({ days: 1, limit: 5, lang });
  const mood = { ...sentiment_overview, hot: topics.map(({ topic }) => topic) };
  const { text, known } = answerMarket(sub_intent, mood, lang, kind === "advanced_research");
  return { text, sources: [], outcome: known ? "answered" : "declined", routing, model_name: "local-extractive" };
}

/** Answers a question about the user's own account, from its figures alone. */
async function answerAboutAccount(deps: AnswerDeps, subscription: Subscription, { prepared, state }: Answering) {
  const { plan, is_active, expires_at, features } = subscription;
  const { routing } = prepared;
  const { quotaState, ledger } = state;
  const { lang, sub_intent } = routing;
  const { rate: exchange_rate } = deps.config.exchange;
  const fill = (name: keyof typeof SENTENCES, values: TemplateValues) => fillTemplate(SENTENCES[name][lang], values);
  const recent = (await ledger.page(1, RECENT_ENTRIES)).entries.map(({ created_at, delta, description }) =>
    fill("entry", { created_at, signed: delta > 0 ? `+${delta}` : delta, description }),
  );
  const on = Object.keys(features).filter((name) => features[name] === true);
  const values = {
    ...{ ...ledger.account, ...quotaState, plan, exchange_rate },
    points: count(ledger.account.balance, "point"),
    free_uses: count(quotaState.free_daily_quota, "free use"),
    points_a_token: count(exchange_rate, "point"),
    entries: recent.join(lang === "zh" ? "；" : "; "),
    features: on.join(lang === "zh" ? "、" : ", "),
    until: fill(expires_at === null ? "endless" : "until", { expires_at }),
  };
  const wordingOf = (fact: Fact): keyof typeof SENTENCES => {
    if (fact === "ledger" && recent.length === 0) return "emptyLedger";
    return fact === "subscription" && !is_active ? "inactive" : fact;
  };
  const published_at = toIso(deps.clock.now());
  const sources = (FACTS_OF[sub_intent] ?? ["balance", "quota"]).map((fact): SourceItem => {
    const { [lang]: title, url } = FACTS[fact];
    const snippet = fill(wordingOf(fact), values).replace(ISO_TIME, "$1 $2 ($3)").replaceAll("(Z)", "(UTC)");
    return { id: `account-${fact}`, kind: "account", title, url, lang, published_at, snippet };
  });
  const text = sources.map(({ snippet }) => snippet).join(lang === "zh" ? "" : " ");
  return { text, sources, outcome: "answered", routing, model_name: "local-account" } satisfies Answer;
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
