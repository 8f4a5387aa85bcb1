import type { News, RefreshMode } from "../news/news.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";

/** Every this many intervals, a refresh is full. */
const FULL_EVERY = 12;

/** How many times a failed refresh is retried within an interval. */
const RETRIES = 10;

/** Which refresh is due, and in how many milliseconds. */
type Due = { readonly in_ms: number; readonly mode: RefreshMode };

/**
 * When the next refresh is due: one interval after the newest snapshot, whichever daemon published it, so that several
 * daemons on one storage share the work; a full one when the last full one is {@link FULL_EVERY} intervals old.
 *
 * @param state.known_ms for how long the newest snapshot has been known to be the newest, by a monotonic clock
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
  // A snapshot from the future (a clock that stepped back, or another machine's) must not delay the next one for long.
  const in_ms = Math.max(0, Math.min(interval_ms - known_ms, published_ms + interval_ms - now));
  return { in_ms, mode: Math.abs(now + in_ms - full_ms) >= FULL_EVERY * interval_ms ? "full" : "view" };
}

interface RefreshDeps {
  readonly news: News;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Seconds between refreshes; 0 refreshes only at the start, and only if no snapshot exists. */
  readonly interval_s: number;
  /** A full refresh is not repeated at a start within so long. */
  readonly min_interval_ms?: number;
}

/** Refreshes the news while the daemon runs. */
export class RefreshTimer {
  readonly #deps: RefreshDeps;
  readonly #interval_ms: number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** The newest snapshot and when this daemon first saw it, by a monotonic clock. */
  #newest = { version: -1, since: 0 };

  constructor(deps: RefreshDeps) {
    this.#deps = deps;
    this.#interval_ms = deps.interval_s * 1000;
  }

  /** Refreshes at the start if due: fully, for another configuration, unless that was just done. A failure is logged. */
  async first(): Promise<void> {
    try {
      const { in_ms, mode, version, full_ms } = await this.#due();
      const isFull = full_ms !== undefined && this.#deps.clock.now() - full_ms < (this.#deps.min_interval_ms ?? 0);
      const hasNews = version > 0;
      if (in_ms === 0 && !(this.#interval_ms === 0 && hasNews)) await this.#refresh(version, isFull ? mode : "full");
    } catch (error) {
      this.#logUnreadable(error);
    }
  }

  /** Refreshes from now on, one interval after another. */
  start(): void {
    void this.first().then(() => {
      if (this.#interval_ms > 0) this.#schedule(0);
    });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** One at a time: the next is scheduled once this one has ended. */
  #schedule(in_ms: number): void {
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#run(), in_ms).unref();
  }

  async #run(): Promise<void> {
    let wait = this.#interval_ms;
    try {
      const { in_ms, mode, version } = await this.#due();
      if (in_ms > 0) wait = in_ms;
      else {
        await this.#refresh(version, mode);
        wait = Math.max((await this.#due()).in_ms, this.#interval_ms / RETRIES);
      }
    } catch (error) {
      this.#logUnreadable(error);
    }
    this.#schedule(wait);
  }

  async #due(): Promise<Due & { readonly version: number; readonly full_ms: number | undefined }> {
    const { version, published_at, last_full_sync_at } = await this.#deps.news.status();
    if (version !== this.#newest.version) this.#newest = { version, since: performance.now() };
    const full_ms = toMs(last_full_sync_at);
    const next = nextRefresh({
      published_ms: toMs(published_at),
      full_ms,
      interval_ms: this.#interval_ms,
      known_ms: performance.now() - this.#newest.since,
      now: this.#deps.clock.now(),
    });
    return { ...next, version, full_ms };
  }

  /** Refreshes, unless another daemon is refreshing or has done so: several find it due at the same moment. */
  async #refresh(version: number, mode: RefreshMode): Promise<void> {
    try {
      const result = await this.#deps.news.refreshAfter(version, mode);
      if (result === undefined) this.#deps.logger.debug({ mode }, "another process refreshed the news");
      else {
        const { news_updated_count, notice_updated_count, topic_rebuild_count } = result;
        const counts = { news_updated_count, notice_updated_count, topic_rebuild_count };
        this.#deps.logger.info({ mode, ...counts }, "news refreshed");
      }
    } catch (error) {
      // The daemon is stopping: nothing waits for the refresh any more.
      if ((error as Error).name === "AbortError") return;
      this.#deps.logger.error({ err: error, mode }, "the news could not be refreshed; the last snapshot is kept");
    }
  }

  #logUnreadable(error: unknown): void {
    if ((error as Error).name === "AbortError") return;
    this.#deps.logger.error({ err: error }, "the state of the news could not be read");
  }
}

function toMs(iso: string | null): number | undefined {
  return iso === null ? undefined : Date.parse(iso);
}
