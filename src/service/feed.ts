import { resolve } from "node:path";
import { recommend } from "../assistant/recommended-questions.ts";
import type { OperationData } from "../contract/endpoints.ts";
import type { Events } from "../events/events.ts";
import { QUESTION_ASKED } from "../events/projections/hot-questions.ts";
import type { News } from "../news/news.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { isOutage } from "../storage/storage-errors.ts";
import type { Config } from "../config/config-schema.ts";
import { userOf, type OperationHandler } from "./operation.ts";
import { readQuestions, type ListedQuestions } from "../assistant/questions-file.ts";

/** The operations of the front page, and the intake of events. */
export interface Feed {
  readonly getRecommendedQuestions: OperationHandler<"getRecommendedQuestions">;
  readonly getHotTopics: OperationHandler<"getHotTopics">;
  readonly getNewsHot: OperationHandler<"getNewsHot">;
  readonly getNewsTopics: OperationHandler<"getNewsTopics">;
  readonly refreshNews: OperationHandler<"refreshNews">;
  readonly recordEvent: OperationHandler<"recordEvent">;
}

export function createFeed(deps: {
  config: Config;
  baseDir: string;
  clock: Clock;
  logger: Logger;
  news: News;
  events: Events;
  /** Keeps the suggested questions that are answered. */
  suggestions: (list: OperationData<"getNewsTopics">) => Promise<OperationData<"getNewsTopics">>;
}): Feed {
  const { config, clock, logger, news, events } = deps;
  let questions: Promise<ListedQuestions> | undefined;

  async function loadQuestions(): Promise<ListedQuestions> {
    const file = config.assistant.questions;
    if (file === undefined) return [];
    try {
      return await readQuestions(resolve(deps.baseDir, file));
    } catch (error) {
      // The next request tries again.
      questions = undefined;
      throw error;
    }
  }

  return {
    async getRecommendedQuestions(_call, { query: { scene, lang, limit } }) {
      const list = await (questions ??= loadQuestions());
      return { data: { scene, lang, ...recommend(list, { scene, lang, limit }) } };
    },
    async getHotTopics(_call, { query: { days, limit } }) {
      const [hot, user_hot_questions] = await Promise.all([
        news.hotTopics({ days, limit }),
        events
          .hotQuestions({ days, limit, min_users: config.hot_questions.min_users, now: clock.now() })
          .catch((error: unknown) => {
            // The interface promises an answer here whatever breaks inside.
            if (!isOutage(error)) logger.error({ err: error }, "hot questions could not be read");
            return [];
          }),
      ]);
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
      // Hot questions are counted from the service's own events; a client's of the same name must not pass for one.
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
