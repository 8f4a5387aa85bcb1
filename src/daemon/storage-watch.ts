import type { Logger } from "../runtime/logger.ts";
import { isOutage } from "../storage/storage-errors.ts";

/** How often the storage is probed while it is lost, ms. */
const PROBE_EVERY_MS = 1000;
/** Shortest pause between two log lines, ms; while the storage stays lost, the pause doubles up to the longest. */
const LEAST_PAUSE_MS = 5000;
const MOST_PAUSE_MS = 60_000;

/** Logs when the storage is lost and when it is back, in few lines however many calls fail meanwhile. */
export class StorageWatch {
  readonly #logger: Logger;
  readonly #probe: () => Promise<void>;
  readonly #onChange: ((up: boolean) => void) | undefined;
  #isUp = true;
  #lostAt = 0;
  #failedAt = 0;
  /** Failures since the last line. */
  #failures = 0;
  #lastError: unknown;
  /** The state that the last line reported, its time, and the pause before the next. */
  #reported = { isUp: true, at: -Infinity, pause_ms: 0 };
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(deps: {
    readonly logger: Logger;
    /** Reads and writes; rejects while the storage is lost. */
    readonly probe: () => Promise<void>;
    readonly onChange?: (up: boolean) => void;
  }) {
    this.#logger = deps.logger;
    this.#probe = deps.probe;
    this.#onChange = deps.onChange;
  }

  /** A call on the storage failed. Errors that say nothing about its health are not counted. */
  failed(error: unknown): void {
    if (!isOutage(error)) return;
    this.#failures++;
    this.#lastError = error;
    this.#failedAt = performance.now();
    if (this.#isUp) {
      this.#isUp = false;
      this.#lostAt = this.#failedAt;
      this.#onChange?.(false);
    }
    this.#report();
    this.#schedule();
  }

  /** Probes a lost storage one last time, and logs what was not logged yet. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    if (!this.#isUp) await this.#update();
    if (this.#isUp) this.#report();
  }

  #schedule(): void {
    if (!this.#isStopped) this.#timer ??= setTimeout(() => void this.#check(), PROBE_EVERY_MS).unref();
  }

  async #check(): Promise<void> {
    await this.#update();
    this.#report();
    this.#timer = undefined;
    if (!this.#isUp || !this.#reported.isUp) this.#schedule();
  }

  async #update(): Promise<void> {
    try {
      await this.#probe();
      this.#isUp = true;
      this.#onChange?.(true);
    } catch {
      // It was counted like any other failure.
    }
  }

  #report(): void {
    const { isUp, at, pause_ms } = this.#reported;
    if (this.#isUp && isUp) return;
    const now = performance.now();
    const lost_ms = now - this.#lostAt;
    const isSettled = lost_ms >= LEAST_PAUSE_MS || now - this.#failedAt >= PROBE_EVERY_MS || this.#isStopped;
    // A flapping storage is summarized; one that is back and stays back is reported at once.
    if (now - at < pause_ms && !(this.#isUp && isSettled)) return;
    const failures = this.#failures;
    const lost_s = Math.round(lost_ms / 100) / 10;
    if (this.#isUp) this.#logger.info({ failures, lost_s }, "the storage is back");
    else if (isUp) this.#logger.error({ err: this.#lastError, failures }, "the storage is lost");
    else this.#logger.warn({ failures, lost_s }, "the storage is still lost");
    const pause = this.#isUp || isUp ? LEAST_PAUSE_MS : Math.min(MOST_PAUSE_MS, pause_ms * 2);
    this.#reported = { isUp: this.#isUp, at: now, pause_ms: pause };
    this.#failures = 0;
  }
}
