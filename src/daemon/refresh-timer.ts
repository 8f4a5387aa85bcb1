import { setTimeout as delay } from "node:timers/promises";
import type { RefreshMode } from "../news/news.ts";
import type { Service } from "../service/service.ts";

const FULL_EVERY = 12; // Intervals between full refreshes.
const RECENT_MS = 300_000; // A daemon that starts so soon after a full refresh of the same sources makes none.
const RETRIES = 10; // How many times a failed refresh is retried within an interval.

type Published = Readonly<Record<"published_ms" | "full_ms", number | undefined>>;
type Times = Readonly<Record<"interval_ms" | "known_ms" | "now", number>>;
type Due = { readonly in_ms: number; readonly mode: RefreshMode };

/** When the next refresh is due: one interval after the newest snapshot, whichever daemon published it, so that several
 * daemons on one storage share the work; a full one when the last full one is {@link FULL_EVERY} intervals old.
 * @param known_ms for how long the newest snapshot has been known to be the newest, by a monotonic clock */
export function nextRefresh({ published_ms, full_ms, interval_ms, known_ms, now }: Published & Times): Due {
  if (published_ms === undefined || full_ms === undefined) return { in_ms: 0, mode: "full" };
  // A snapshot from the future (a clock that stepped back, or another machine's) must not delay the next one for long.
  const in_ms = Math.max(0, Math.min(interval_ms - known_ms, published_ms + interval_ms - now));
  return { in_ms, mode: Math.abs(now + in_ms - full_ms) >= FULL_EVERY * interval_ms ? "full" : "view" };
}

/** Refreshes the news while the daemon runs, without an interval only at the start: fully at the start, unless that was done
 * a short time ago with the same sources, and once a local listing has changed. */
export type RefreshTimer = ReturnType<typeof createRefreshTimer>;

export function createRefreshTimer(service: Pick<Service, "news" | "clock" | "config" | "logger">) {
  const { news, clock, config, logger } = service;
  const interval_ms = config.news.refresh_interval_s * 1000;
  let newest = { version: -1, since: 0 }; // The newest snapshot and when this daemon first saw it, by a monotonic clock.
  let isStart = true; // Until this daemon has made a refresh, or found that it needs none.

  async function dueNext() {
    const { version, published_at, last_full_sync_at } = await news.status();
    if (version !== newest.version) newest = { version, since: performance.now() };
    const full_ms = toMs(last_full_sync_at);
    const known_ms = performance.now() - newest.since;
    const next = nextRefresh({ published_ms: toMs(published_at), full_ms, interval_ms, known_ms, now: clock.now() });
    return { ...next, version, full_ms };
  }

  /** Refreshes, unless another daemon does or has: several find it due at once. @returns whether this daemon has */
  async function refresh(version: number, mode: RefreshMode): Promise<boolean> {
    try {
      const result = await news.refreshAfter(version, mode);
      if (result === undefined) logger.debug({ mode }, "another process refreshed the news");
      else {
        const { news_updated_count, notice_updated_count, topic_rebuild_count } = result;
        logger.info({ mode, news_updated_count, notice_updated_count, topic_rebuild_count }, "news refreshed");
      }
      return result !== undefined;
    } catch (error) {
      failed(error, "the news could not be refreshed; the last snapshot is kept", { mode });
      return false;
    }
  }

  /** Refreshes if due, or at the start. A failure is logged. @returns the time until the next check, ms */
  async function refreshIfDue(): Promise<number> {
    try {
      const { in_ms, mode, version, full_ms } = await dueNext();
      const isDue = in_ms <= 0 && (interval_ms > 0 || version === 0);
      if (!isDue && !isStart) return in_ms;
      const isRecent = Math.abs(clock.now() - (full_ms ?? Infinity)) < RECENT_MS;
      const isFull = (isStart && !isRecent) || (await news.hasChanged(isStart));
      const isDone = isDue || isFull ? await refresh(version, isFull ? "full" : mode) : true;
      isStart &&= isFull && !isDone;
      return Math.max((await dueNext()).in_ms, interval_ms / RETRIES);
    } catch (error) {
      failed(error, "the state of the news could not be read");
      return interval_ms;
    }
  }

  function failed(err: unknown, message: string, fields = {}): void {
    // The daemon is stopping: nothing waits for the refresh any more.
    if ((err as Error).name !== "AbortError") logger.error({ err, ...fields }, message);
  }

  return {
    first: refreshIfDue, // For a fixture, before the daemon is ready.
    async run(signal: AbortSignal): Promise<void> {
      await refreshIfDue();
      while (interval_ms > 0 && !signal.aborted)
        await delay(await refreshIfDue(), undefined, { signal, ref: false }).catch(() => undefined);
    },
  };
}

const toMs = (iso: string | null): number | undefined => (iso === null ? undefined : Date.parse(iso));
