import type { Events } from "../events/events.ts";
import type { HotQuestion } from "../events/projections/hot-questions.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { ReportDamage } from "../storage/damage-reporter.ts";
import { isOutage } from "../storage/storage-errors.ts";

/** How long a ranking is shown for each of its days, ms: questions that come meanwhile are counted after it. */
const SHOWN_MS = 1000;
/** As many questions as a request may ask for. */
const ALL_QUESTIONS = 50;

/** The hot questions of the last `days`, ranked at most once in so many seconds; none where they cannot be read. */
export function createHotQuestions(deps: {
  events: Events;
  clock: Clock;
  logger: Logger;
  reportDamage: ReportDamage;
  min_users: number;
}): (query: { days: number; limit: number }) => Promise<readonly HotQuestion[]> {
  const { events, clock, logger, reportDamage, min_users } = deps;
  const rankings = new Map<number, { readonly at: number; readonly now: number; list: Promise<HotQuestion[]> }>();

  async function rank(days: number, now: number): Promise<HotQuestion[]> {
    try {
      return await events.hotQuestions({ days, limit: ALL_QUESTIONS, min_users, now });
    } catch (error) {
      // The interface promises an answer here whatever breaks inside.
      if (!isOutage(error) && !reportDamage(error)) logger.error({ err: error }, "hot questions could not be read");
      return [];
    }
  }

  return async ({ days, limit }) => {
    const [at, now, shown_ms] = [performance.now(), clock.now(), days * SHOWN_MS];
    let ranking = rankings.get(days);
    if (ranking === undefined || at - ranking.at >= shown_ms || Math.abs(now - ranking.now) >= shown_ms) {
      ranking = { at, now, list: rank(days, now) };
      rankings.set(days, ranking);
    }
    return (await ranking.list).slice(0, limit);
  };
}
