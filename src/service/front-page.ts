import { resolve } from "node:path";
import { recommend } from "../assistant/recommended-questions.ts";
import type { OperationData } from "../contract/endpoints.ts";
import type { Events } from "../events/events.ts";
import { QUESTION_ASKED, type HotQuestion } from "../events/projections/hot-questions.ts";
import type { News } from "../news/news.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { isOutage } from "../storage/storage-errors.ts";
import type { Config } from "../config/config-schema.ts";
import { userOf, type OperationHandler } from "./operation.ts";
import { readQuestions, type ListedQuestions } from "../assistant/questions-file.ts";

/** The operations of the front page, and the intake of events. */
export interface FrontPageOperations {
  readonly getRecommendedQuestions: OperationHandler<"getRecommendedQuestions">;
  readonly getHotTopics: OperationHandler<"getHotTopics">;
  readonly getNewsHot: OperationHandler<"getNewsHot">;
  readonly getNewsTopics: OperationHandler<"getNewsTopics">;
  readonly refreshNews: OperationHandler<"refreshNews">;
  readonly recordEvent: OperationHandler<"recordEvent">;
}

export function createFrontPageOperations(deps: {
  config: Config;
  baseDir: string;
  clock: Clock;
  logger: Logger;
  news: News;
  events: Events;
  /** Keeps the suggested questions that are answered. */
  suggestions: (list: OperationData<"getNewsTopics">) => Promise<OperationData<"getNewsTopics">>;
}): FrontPageOperations {
  const { config, clock, logger, news, events } = deps;
  const questions = createQuestionList(config.assistant.questions, deps.baseDir);

  function hotQuestions({ days, limit }: { days: number; limit: number }): Promise<HotQuestion[]> {
    const { min_users } = config.hot_questions;
    return events.hotQuestions({ days, limit, min_users, now: clock.now() }).catch((error: unknown) => {
      // The interface promises an answer here whatever breaks inside.
      if (!isOutage(error)) logger.error({ err: error }, "hot questions could not be read");
      return [];
    });
  }

  return {
    async getRecommendedQuestions(_call, { query: { scene, lang, limit } }) {
      const list = await questions();
      return { data: { scene, lang, ...recommend(list, { scene, lang, limit }) } };
    },
    async getHotTopics(_call, { query }) {
      const [hot, user_hot_questions] = await Promise.all([news.hotTopics(query), hotQuestions(query)]);
      return { data: { ...hot, user_hot_questions } };
    },
    async getNewsHot(_call, { query }) {
      return { data: await news.hot(query) };
    },
    async getNewsTopics(_call, { query }) {
      return { data: await deps.suggestions(await news.topics(query)) };
    },
    async refreshNews(_call, { query: { mode } }) {
      return { data: await news.refresh(mode) };
    },
    async recordEvent(call, { body }) {
      // Hot questions are counted from the service's own events; a client's event of the same name must not count.
      const event_type = body.event_type === QUESTION_ASKED ? `client.${QUESTION_ASKED}` : body.event_type;
      const event = { ...body, event_type, user_id: userOf(call) };
      const { event_id, stored, replayed } = await events.record(event, call.idempotency_key);
      return {
        data: { event_id, event_type: body.event_type, accepted: true, stored },
        ...(replayed && { replayed }),
      };
    },
  };
}

/** The operator's questions, read from the file when they are first asked for; a failed read is tried again. */
function createQuestionList(file: string | undefined, baseDir: string): () => Promise<ListedQuestions> {
  if (file === undefined) return () => Promise.resolve([]);
  let questions: Promise<ListedQuestions> | undefined;
  return () =>
    (questions ??= readQuestions(resolve(baseDir, file)).catch((error: unknown) => {
      questions = undefined;
      throw error;
    }));
}
