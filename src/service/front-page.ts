import { fillUp, recommend, type ListedQuestions } from "../assistant/recommended-questions.ts";
import type { HostedAssistant } from "../assistant/hosted-assistant.ts";
import type { Events } from "../events/events.ts";
import type { OperationId, OperationInput } from "../contract/endpoints.ts";
import { QUESTION_ASKED, type HotQuestion } from "../events/projections/hot-questions.ts";
import { nearestLanguage } from "../language/detect-language.ts";
import { isUnfiltered } from "../news/snapshot/filtered-views.ts";
import type { News } from "../news/news.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { ReportDamage } from "../storage/health/damage-reporter.ts";
import type { Config } from "../config/config-schema.ts";
import type { GroundedSuggestions as Suggestions } from "./grounded-suggestions.ts";
import { userOf, type OperationHandler } from "./operation.ts";
import type { AccountOperationId } from "./points.ts";
import { isOutage } from "../storage/storage.ts";

/** The operations of the front page, and the intake of events. */
export type FrontPageOperations = { readonly [K in FrontPageId]: OperationHandler<K> };
type FrontPageId = Exclude<OperationId, AccountOperationId | "sendChat">;

const MAX_ITEMS = 50; // Topics or questions per request, at most.
const DAYS = 7; // Days of user questions, for when the file has too few.

type Rooms = { news: News; events: Events; suggestions: Suggestions; assistant: Pick<HostedAssistant, "inScript"> };
type Basics = { config: Config; questions: ListedQuestions; clock: Clock; logger: Logger; reportDamage: ReportDamage };
type FrontPageDeps = Readonly<Rooms & Basics>;

export function createFrontPageOperations(deps: FrontPageDeps): FrontPageOperations {
  const { config, news, events, assistant } = deps;
  const hotQuestions = createHotQuestions(deps);

  const topicsIn = async (lang: string, limit: number) =>
    deps.suggestions.first(await news.topics({ limit: MAX_ITEMS, lang }), nearestLanguage(lang), limit);

  /** Answerable questions about the hottest topics, one of each topic in turn, then users' questions. */
  async function otherQuestions(lang: string): Promise<string[]> {
    const { topics } = await topicsIn(lang, MAX_ITEMS).catch((error: unknown) => {
      if (!isOutage(error)) deps.logger.error({ err: error }, "no questions about topics can be recommended");
      return { topics: [] };
    });
    const suggested = topics.flatMap(({ question_suggestions: all }) => all.map((question, at) => ({ question, at })));
    const asked = await hotQuestions({ days: DAYS, limit: MAX_ITEMS, lang });
    return [...suggested.sort((a, b) => a.at - b.at), ...asked].map(({ question }) => question);
  }

  return {
    async getRecommendedQuestions(_call, { query }) {
      const data = recommend(deps.questions, query);
      const others = data.questions.length < query.limit ? await otherQuestions(query.lang) : [];
      const filled = await fillUp(data, others, query.limit);
      return { data: await assistant.inScript(query.lang, filled, "questions.content") };
    },
    async getHotTopics(_call, { query }) {
      const [hot, user_hot_questions] = await Promise.all([news.hotTopics(query), hotQuestions(query)]);
      const all = { ...hot, user_hot_questions };
      return { data: await assistant.inScript(query.lang, all, "topics.topic", "user_hot_questions.question") };
    },
    getNewsHot: async (_call, { query }) => ({ data: await news.hot(query) }),
    async getNewsTopics(_call, { query: { limit, lang, ...filter } }) {
      const list = isUnfiltered(filter)
        ? await topicsIn(lang, limit)
        : await deps.suggestions.of(await news.topics({ limit, lang, ...filter }));
      // Items are not converted: they are quotes.
      return { data: await assistant.inScript(lang, list, "topics.title", "topics.question_suggestions") };
    },
    async refreshNews(call, { query: { mode } }) {
      // A command on the storage has no user: its refresh is never skipped as too early.
      return { data: await news.refresh(mode, call.user === undefined ? 0 : config.news.min_interval_ms) };
    },
    async recordEvent(call, { body }) {
      // Hot questions are counted from the service's own events; a client's event of the same name must not count.
      const event_type = body.event_type === QUESTION_ASKED ? `client.${QUESTION_ASKED}` : body.event_type;
      const event = { ...body, event_type, user_id: userOf(call) };
      const { event_id, stored, replayed } = await events.record(event, call.idempotency_key);
      return { data: { event_id, event_type: body.event_type, accepted: true, stored }, ...(replayed && { replayed }) };
    },
  };
}

const SHOWN_MS = 1000; // How long a ranking is cached, per day of its period.

/** The hot questions of the last `days`, those in the language nearest to `lang` first; ranked at most once in that many
 * seconds, and empty if they cannot be read. */
function createHotQuestions({ config, events, clock, logger, reportDamage }: FrontPageDeps) {
  const rankings = new Map<number, { readonly at: number; readonly now: number; list: Promise<HotQuestion[]> }>();

  const { min_users } = config.hot_questions;
  const rank = (days: number, now: number): Promise<HotQuestion[]> =>
    events.hotQuestions({ days, limit: MAX_ITEMS, min_users, now }).catch((error: unknown) => {
      // The interface promises an answer here even after an internal error.
      if (!isOutage(error) && !reportDamage(error)) logger.error({ err: error }, "hot questions could not be read");
      return [];
    });

  return async ({ days, limit, lang }: OperationInput<"getHotTopics">["query"]): Promise<HotQuestion[]> => {
    const [at, now, shown_ms] = [performance.now(), clock.now(), days * SHOWN_MS];
    let ranking = rankings.get(days);
    if (ranking === undefined || at - ranking.at >= shown_ms || Math.abs(now - ranking.now) >= shown_ms) {
      ranking = { at, now, list: rank(days, now) };
      rankings.set(days, ranking);
    }
    const isOther = (question: HotQuestion): number => Number(question.lang !== nearestLanguage(lang));
    return (await ranking.list).toSorted((a, b) => isOther(a) - isOther(b)).slice(0, limit);
  };
}
