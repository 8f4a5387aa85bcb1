import { answerMarket } from "../../assistant/answering/market-answer.ts";
import type { Answer } from "../../assistant/answer.ts";
import type { PreparedQuestion } from "../../assistant/assistant.ts";
import type { HostedAssistant } from "../../assistant/hosted-assistant.ts";
import type { ModelUse } from "../../assistant/model/model-call.ts";
import { AnpError } from "../../contract/errors.ts";
import type { Config } from "../../config/config-schema.ts";
import { hasHan } from "../../language/detect-language.ts";
import type { News } from "../../news/news.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { UserState } from "../user-state.ts";
import { answerAboutAccount } from "./account-answers.ts";
import type { Question } from "./question.ts";

export type AnswerDeps = Readonly<{ config: Config; clock: Clock; assistant: HostedAssistant; news: News }>;

/** Answers a question: about the account and the market from their figures, any other from what the assistant may quote. */
export async function answerQuestion(
  deps: AnswerDeps,
  { asked, subscription }: Question,
  prepared: PreparedQuestion,
  state: UserState,
  use: ModelUse,
): Promise<Answer> {
  const { route } = prepared.routing;
  const answer =
    route === "account"
      ? await answerAboutAccount(deps, prepared, subscription, state)
      : route === "market"
        ? await answerAboutMarket(deps.news, prepared)
        : await deps.assistant.complete(prepared, asked, use);
  // Before the first refresh has brought anything, nothing was looked for: that is no "not found".
  if (answer.outcome === "declined" && (await deps.news.current()).version === 0 && isAwaited(deps.config.news))
    throw new AnpError(1007, "Help center and news have not been read yet; nothing was charged.");
  if (!hasHan(asked.question)) return answer;
  if (!(await import("../../language/traditional.ts")).isTraditional(asked.question)) return answer;
  return deps.assistant.inScript("zh-Hant", answer, (data, write) => ({ ...data, text: write(data.text) }));
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
