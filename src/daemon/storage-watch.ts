import type { Logger } from "../runtime/logger.ts";
import { createThrottle } from "../runtime/throttle.ts";
import { isOutage, type LostParts, StorageReplacedError } from "../storage/storage.ts";
import { storageRemedy } from "../storage/health/storage-remedy.ts";

const POLL_EVERY_MS = 1000; // How often its identity is read, and how often it is probed while calls fail.
const PROBE_EVERY_MS = 10_000; // How often it is probed while nothing fails, ms.
/** Shortest pause between two log lines, ms; while the storage stays lost, the pause doubles up to the longest. */
const MIN_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 60_000;

interface WatchDeps {
  readonly logger: Logger;
  readonly probe: () => Promise<void>; // Reads and writes; rejects while the storage is lost.
  readonly findLost?: (() => Promise<LostParts>) | undefined; // Absent if no other storage can take its place.
  readonly onChange?: (up: boolean) => void;
  readonly onLostParts?: (lost: number) => void; // Parts, as the primaries of a cluster, were lost or are back.
}

/** Logs when the storage is lost (a probe fails) and back, in few lines. One failed call may concern only its key. */
export class StorageWatch {
  readonly #deps: WatchDeps;
  readonly #timer = setInterval(() => this.#poll(), POLL_EVERY_MS).unref();
  readonly #failedCalls = createThrottle(MIN_PAUSE_MS, () => {
    const [err, remedy] = [this.#lastError, storageRemedy((this.#lastError as Error).message)];
    this.#deps.logger.error({ err, remedy }, "storage calls failed, though the storage works");
  });
  #isUp = true;
  #isSuspect = false;
  #lostAt = 0;
  #failedAt = 0;
  #probedAt = performance.now();
  #failures = 0;
  #lastError: unknown;
  #lostParts: ReadonlySet<string> = new Set();
  /** The state that the last line reported, its time, and the pause before the next. */
  #reported = { isUp: true, at: -Infinity, pause_ms: 0 };
  #checking: Promise<void> | undefined;
  #checkingParts: Promise<void> | undefined;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /** A call on the storage failed. Errors that say nothing about its health are not counted. */
  failed(error: unknown): void {
    if (!isOutage(error)) return;
    this.#failures++;
    this.#lastError = error;
    this.#failedAt = performance.now();
    if (!this.#isUp) this.#report();
    else if (error instanceof StorageReplacedError) this.#checkParts(); // It may be a part of the storage.
    else {
      this.#isSuspect = true;
      if (this.#failedAt - this.#probedAt >= POLL_EVERY_MS) this.#check();
    }
  }

  /** Probes a lost storage one last time, and logs what was not logged yet. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#checking, this.#checkingParts]);
    if (!this.#isUp) await this.#probe();
    if (this.#isUp) this.#report(true);
    this.#failedCalls.stop();
  }

  #poll(): void {
    const isDue = performance.now() - this.#probedAt >= PROBE_EVERY_MS;
    if (!this.#isUp || this.#isSuspect || isDue) this.#check();
    else if (!this.#reported.isUp) this.#report();
    this.#checkParts();
  }

  #checkParts(): void {
    this.#checkingParts ??= this.#compareParts()
      .catch((error: unknown) => this.failed(error))
      .finally(() => (this.#checkingParts = undefined));
  }

  #check(): void {
    this.#checking ??= this.#probe().finally(() => (this.#checking = undefined));
  }

  async #probe(): Promise<void> {
    this.#probedAt = performance.now();
    const wasUp = this.#isUp;
    const failed = this.#isSuspect;
    try {
      await this.#deps.probe();
      this.#isUp = true;
      if (wasUp && failed) this.#failedCalls.note();
      if (wasUp) this.#failures = 0;
    } catch (error) {
      this.#lastError = error;
      this.#isUp = false;
      if (wasUp) this.#lostAt = performance.now();
    }
    this.#isSuspect = false;
    if (wasUp !== this.#isUp) this.#deps.onChange?.(this.#isUp);
    this.#report();
  }

  async #compareParts(): Promise<void> {
    const { lost = [], parts = 0 } = (await this.#deps.findLost?.()) ?? {};
    if (lost.length > 0 && lost.length === parts) {
      if (this.#isUp) this.#check();
      return;
    }
    const messages = new Set(lost.map(({ message }) => message));
    for (const message of messages)
      if (!this.#lostParts.has(message)) this.#deps.logger.error({ remedy: storageRemedy(message) }, message);
    for (const message of this.#lostParts)
      if (!messages.has(message)) this.#deps.logger.info({}, `resolved: ${message}`);
    this.#lostParts = messages;
    this.#deps.onLostParts?.(lost.length);
  }

  #report(isLast = false): void {
    const { isUp, at, pause_ms } = this.#reported;
    if (this.#isUp && isUp) return;
    const now = performance.now();
    const lost_ms = now - this.#lostAt;
    const isSettled = lost_ms >= MIN_PAUSE_MS || now - this.#failedAt >= POLL_EVERY_MS || isLast;
    // A flapping storage is summarized; one that is back and stays back is reported at once.
    if (now - at < pause_ms && !(this.#isUp && isSettled)) return;
    const failures = this.#failures;
    const lost_s = Math.round(lost_ms / 100) / 10;
    const err = this.#lastError as Error;
    const state = /\bENOSPC\b/.test(err.message) ? "full" : "lost";
    if (this.#isUp) this.#deps.logger.info({ failures, lost_s }, "the storage is back");
    else if (isUp)
      this.#deps.logger.error({ err, failures, remedy: storageRemedy(err.message) }, `the storage is ${state}`);
    else this.#deps.logger.warn({ failures, lost_s }, `the storage is still ${state}`);
    const pause = this.#isUp || isUp ? MIN_PAUSE_MS : Math.min(MAX_PAUSE_MS, pause_ms * 2);
    this.#reported = { isUp: this.#isUp, at: now, pause_ms: pause };
    this.#failures = 0;
  }
}
