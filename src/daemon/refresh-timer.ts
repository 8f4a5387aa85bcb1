import type { RefreshMode } from "../news/news.ts";
import type { Service } from "../service/service.ts";

const FULL_EVERY = 12; // After so many intervals, a refresh is full.
const RETRIES = 10; // How many times a failed refresh is retried within an interval.

type Due = { readonly in_ms: number; readonly mode: RefreshMode };

/** When the next refresh is due: one interval after the newest snapshot, whichever daemon published it, so that several
 * daemons on one storage share the work; a full one when the last full one is {@link FULL_EVERY} intervals old.
 * @param state.known_ms for how long the newest snapshot has been known to be the newest, by a monotonic clock */
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

/** Refreshes the news while the daemon runs; without an interval only at the start, and only if no snapshot exists. */
export class RefreshTimer {
  readonly #service: Pick<Service, "news" | "clock" | "config" | "logger">;
  readonly #interval_ms: number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #newest = { version: -1, since: 0 }; // The newest snapshot and when this daemon first saw it, by a monotonic clock.

  constructor(service: Pick<Service, "news" | "clock" | "config" | "logger">) {
    this.#service = service;
    this.#interval_ms = service.config.news.refresh_interval_s * 1000;
  }

  /** Refreshes at the start if due: fully, for another configuration, unless that was just done. A failure is logged. */
  async first(): Promise<void> {
    try {
      const { clock, config } = this.#service;
      const { in_ms, mode, version, full_ms } = await this.#due();
      const isFull = full_ms !== undefined && clock.now() - full_ms < config.news.min_interval_ms;
      if (in_ms !== 0 || (this.#interval_ms === 0 && version > 0)) return;
      await this.#refresh(version, isFull ? mode : "full");
    } catch (error) {
      this.#failed(error, "the state of the news could not be read");
    }
  }

  start(): void {
    void this.first().then(() => {
      if (this.#interval_ms > 0) this.#schedule(0);
    });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

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
      this.#failed(error, "the state of the news could not be read");
    }
    this.#schedule(wait);
  }

  async #due(): Promise<Due & { readonly version: number; readonly full_ms: number | undefined }> {
    const { version, published_at, last_full_sync_at } = await this.#service.news.status();
    if (version !== this.#newest.version) this.#newest = { version, since: performance.now() };
    const full_ms = toMs(last_full_sync_at);
    const next = nextRefresh({
      published_ms: toMs(published_at),
      full_ms,
      interval_ms: this.#interval_ms,
      known_ms: performance.now() - this.#newest.since,
      now: this.#service.clock.now(),
    });
    return { ...next, version, full_ms };
  }

  /** Refreshes, unless another daemon is refreshing or has done so: several find it due at the same moment. */
  async #refresh(version: number, mode: RefreshMode): Promise<void> {
    try {
      const result = await this.#service.news.refreshAfter(version, mode);
      if (result === undefined) this.#service.logger.debug({ mode }, "another process refreshed the news");
      else {
        const { news_updated_count, notice_updated_count, topic_rebuild_count } = result;
        const counts = { news_updated_count, notice_updated_count, topic_rebuild_count };
        this.#service.logger.info({ mode, ...counts }, "news refreshed");
      }
    } catch (error) {
      this.#failed(error, "the news could not be refreshed; the last snapshot is kept", { mode });
    }
  }

  #failed(err: unknown, message: string, fields = {}): void {
    // The daemon is stopping: nothing waits for the refresh any more.
    if ((err as Error).name !== "AbortError") this.#service.logger.error({ err, ...fields }, message);
  }
}

const toMs = (iso: string | null): number | undefined => (iso === null ? undefined : Date.parse(iso));
