import type { Answer, Assistant } from "../../assistant/assistant.ts";
import type { Config } from "../../config/config-schema.ts";
import type { News } from "../../news/news.ts";
import { toIso, type Clock } from "../../runtime/clock.ts";
import type { Knowledge } from "../knowledge.ts";
import type { UserState } from "../user-state.ts";
import { answerFromAccount } from "./account-answers.ts";
import { hintsOf, type Question } from "./question.ts";
import type { Language } from "../../contract/schemas/shared-fields.ts";

/** Entries that an answer about the ledger lists. */
const RECENT_ENTRIES = 3;

/** What questions are answered with. */
export interface AnswerDeps {
  readonly config: Config;
  readonly clock: Clock;
  readonly assistant: Assistant;
  readonly knowledge: Knowledge;
  readonly news: News;
}

/** Answers a question: about the user's account from its figures, any other from what the assistant may quote. */
export async function answerQuestion(
  deps: AnswerDeps,
  question: Question,
  state: UserState,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { body, routing, history } = question;
  if (routing.route === "account") return answerAboutAccount(deps, question, state);
  const market = routing.route === "market" ? await moodOf(deps.news, routing.lang) : undefined;
  return deps.assistant.answer(
    {
      question: body.question,
      routing,
      history,
      wide: question.research !== undefined,
      ...hintsOf(body),
      now: deps.clock.now(),
      ...(market === undefined ? {} : { market }),
      ...(signal === undefined ? {} : { signal }),
    },
    await deps.knowledge.index(),
  );
}

async function answerAboutAccount(
  { config, clock }: AnswerDeps,
  { routing, subscription }: Question,
  { ledger, quotaState }: UserState,
): Promise<Answer> {
  const facts = {
    account: ledger.account,
    quota: quotaState,
    subscription,
    recent: (await ledger.page(1, RECENT_ENTRIES)).entries,
    exchange_rate: config.exchange.rate,
    read_at: toIso(clock.now()),
  };
  const answer = answerFromAccount(routing.sub_intent, routing.lang, facts);
  return { ...answer, grounded: true, routing, model_name: "local-account" };
}

async function moodOf(news: News, lang: Language) {
  const { topics, sentiment_overview } = await news.hotTopics({ days: 1, limit: 5, lang });
  return { ...sentiment_overview, hot: topics.map(({ topic }) => topic) };
}
