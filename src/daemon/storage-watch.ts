import type { Logger } from "../runtime/logger.ts";
import { isOutage } from "../storage/storage-errors.ts";

/** Tells when the storage is lost and when it is back, however many calls fail meanwhile. */
export interface StorageWatch {
  /** A call on the storage failed. Errors that say nothing about its health are not counted. */
  failed(error: unknown): void;
  /** Looks a last time, where the storage was lost, and leaves nothing untold. */
  stop(): Promise<void>;
}

/** How often the storage is tried while it is lost, ms. */
const PROBE_EVERY_MS = 1000;
/** How far lines are apart at least, ms; while the storage stays lost, the distance doubles up to the greatest. */
const LEAST_PAUSE_MS = 5000;
const MOST_PAUSE_MS = 60_000;

export function createStorageWatch(deps: {
  readonly logger: Logger;
  /** Reads and writes; rejects while the storage is lost. */
  readonly probe: () => Promise<void>;
  readonly onChange?: (up: boolean) => void;
}): StorageWatch {
  const { logger, probe, onChange } = deps;
  let up = true;
  let lostAt = 0;
  let failedAt = 0;
  let failures = 0;
  let last: unknown;
  /** What the last line said, and when. */
  let told = { up: true, at: -Infinity, pause_ms: 0 };
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function tell(): void {
    if (up && told.up) return;
    const now = performance.now();
    const lost_s = Math.round((now - lostAt) / 100) / 10;
    const lasted = now - lostAt >= LEAST_PAUSE_MS;
    const quiet = now - failedAt >= PROBE_EVERY_MS;
    // A storage that comes and goes is told in sum; one that is back and stays so is told at once.
    if (now - told.at < told.pause_ms && !(up && (lasted || quiet || stopped))) return;
    if (up) logger.info({ failures, lost_s }, "the storage is back");
    else if (told.up) logger.error({ err: last, failures }, "the storage is lost");
    else logger.warn({ failures, lost_s }, "the storage is still lost");
    const pause_ms = up || told.up ? LEAST_PAUSE_MS : Math.min(MOST_PAUSE_MS, told.pause_ms * 2);
    told = { up, at: now, pause_ms };
    failures = 0;
  }

  async function look(): Promise<void> {
    await ask();
    tell();
    timer = undefined;
    if (!up || !told.up) plan();
  }

  async function ask(): Promise<void> {
    try {
      await probe();
      up = true;
      onChange?.(true);
    } catch {
      // It was counted as any other failure.
    }
  }

  function plan(): void {
    if (!stopped) timer ??= setTimeout(() => void look(), PROBE_EVERY_MS).unref();
  }

  return {
    failed(error) {
      if (!isOutage(error)) return;
      failures++;
      last = error;
      failedAt = performance.now();
      if (up) {
        up = false;
        lostAt = failedAt;
        onChange?.(false);
      }
      tell();
      plan();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      if (!up) await ask();
      if (up) tell();
    },
  };
}
