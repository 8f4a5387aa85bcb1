import type { News, RefreshMode } from "../news/news.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";

/** A full refresh instead of a light one after so many intervals. */
const FULL_EVERY = 12;

/** How often a refresh that failed is tried again in an interval. */
const RETRIES = 10;

/** What is due, and in how many milliseconds. */
export interface Due {
  readonly in_ms: number;
  readonly mode: RefreshMode;
}

/**
 * When the next refresh is due: one interval after the newest snapshot, whichever daemon published it, so that several
 * daemons on one storage share the work; a full one when the last full one is {@link FULL_EVERY} intervals old.
 *
 * @param state.known_ms for how long the newest snapshot has been known to be the newest, by a clock that is never set
 */
export function nextRefresh(state: {
  readonly published_ms: number | undefined;
  readonly full_ms: number | undefined;
  readonly interval_ms: number;
  readonly known_ms: number;
  readonly now: number;
}): Due {
  const { published_ms, full_ms, interval_ms, known_ms, now } = state;
  if (published_ms === undefined || full_ms === undefined) return { in_ms: 0, mode: "full" };
  // A snapshot from the future (a clock that stepped back, or another machine's) must not put the next one off for long.
  const in_ms = Math.max(0, Math.min(interval_ms - known_ms, published_ms + interval_ms - now));
  return { in_ms, mode: Math.abs(now + in_ms - full_ms) >= FULL_EVERY * interval_ms ? "full" : "view" };
}

/** Keeps the news fresh while the daemon runs. */
export interface RefreshTimer {
  /** The refresh that a start needs; a failing one is logged. */
  first(): Promise<void>;
  /** Refreshes from now on, one interval after another. */
  start(): void;
  stop(): void;
}

export function createRefreshTimer(deps: {
  readonly news: News;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Seconds between refreshes; 0 refreshes at the start alone, and only where there is no snapshot. */
  readonly interval_s: number;
}): RefreshTimer {
  const { news, clock, logger } = deps;
  const interval_ms = deps.interval_s * 1000;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  /** The newest snapshot and when this daemon first saw it. */
  let newest = { version: -1, since: 0 };

  async function due(): Promise<Due & { readonly version: number }> {
    const { version, published_at, last_full_sync_at } = await news.status();
    if (version !== newest.version) newest = { version, since: performance.now() };
    const ms = (iso: string | null): number | undefined => (iso === null ? undefined : Date.parse(iso));
    const next = nextRefresh({
      published_ms: ms(published_at),
      full_ms: ms(last_full_sync_at),
      interval_ms,
      known_ms: performance.now() - newest.since,
      now: clock.now(),
    });
    return { ...next, version };
  }

  /** Refreshes, unless another daemon does or did: several find it due at the same moment. */
  async function refresh(version: number, mode: RefreshMode): Promise<void> {
    try {
      const result = await news.refreshAfter(version, mode);
      if (result === undefined) logger.debug({ mode }, "another process refreshed the news");
      else {
        const { news_updated_count, notice_updated_count, topic_rebuild_count } = result;
        logger.info({ mode, news_updated_count, notice_updated_count, topic_rebuild_count }, "news refreshed");
      }
    } catch (error) {
      // The daemon ends: nobody waits for it any more.
      if ((error as Error).name === "AbortError") return;
      logger.error({ err: error, mode }, "the news could not be refreshed; the last snapshot stays");
    }
  }

  /** One at a time: the next is planned once this one has ended. */
  function plan(in_ms: number): void {
    if (stopped) return;
    timer = setTimeout(() => void turn(), in_ms).unref();
  }

  async function turn(): Promise<void> {
    let wait = interval_ms;
    try {
      const { in_ms, mode, version } = await due();
      if (in_ms > 0) wait = in_ms;
      else {
        await refresh(version, mode);
        wait = Math.max((await due()).in_ms, interval_ms / RETRIES);
      }
    } catch (error) {
      logger.error({ err: error }, "the news' state could not be read");
    }
    plan(wait);
  }

  return {
    async first() {
      try {
        const { in_ms, version } = await due();
        if (in_ms === 0 && !(interval_ms === 0 && version > 0)) await refresh(version, "full");
      } catch (error) {
        logger.error({ err: error }, "the news' state could not be read");
      }
    },
    start() {
      if (interval_ms > 0) plan(0);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
