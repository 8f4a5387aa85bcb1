import { setTimeout } from "node:timers/promises";
import { pino } from "pino";
import sonicBoom from "sonic-boom";
import type { Config } from "../config/config-schema.ts";
import { toIso, type Clock } from "../runtime/clock.ts";
import { stackOf } from "../runtime/logger.ts";

const FLUSH_MS = 200; // How long a line may wait to be written, ms.
const END_WITHIN_MS = 500;
const MAX_BUFFERED = 4 * 1024 * 1024; // Buffer limit if nobody reads, UTF-16 units; further lines are dropped.

/** Logs JSON lines to stderr in the background, or to `write`, which takes each one at once. */
export function createPinoLogger(level: Config["log"]["level"], clock: Clock, write?: (line: string) => void) {
  // Lines are buffered: one write per line costs a quarter of a request. pino's own destination would flush when the
  // process exits, and retry forever if nobody reads.
  const buffered = { sync: false, minLength: 4096, periodicFlush: FLUSH_MS, maxLength: MAX_BUFFERED };
  const destination = new sonicBoom.SonicBoom({ fd: 2, ...buffered });
  // A log that cannot be written must not end the process: the disk may be full, or the reader gone.
  destination.on("error", () => undefined);
  const flushAtCrash = (): void => destination.flushSync();
  process.once("exit", flushAtCrash);
  const timestamp = (): string => `,"time":"${toIso(clock.now())}"`;
  const formatters = { level: (label: string) => ({ level: label }) };
  const options = { level, base: null, timestamp, formatters, serializers: { err: describeError } };
  const logger = pino(options, write === undefined ? destination : { write });
  return Object.assign(logger, {
    /** Flushes the buffer, within a time limit. Nothing is logged after that. */
    async end(): Promise<void> {
      logger.level = "silent";
      process.off("exit", flushAtCrash);
      // A flush during a write of earlier lines ends with that write, before the later lines.
      const flushed = flush(destination).then(() => flush(destination));
      await Promise.race([flushed, setTimeout(END_WITHIN_MS, undefined, { ref: false })]);
    },
  });
}

const flush = (destination: sonicBoom.SonicBoom) => new Promise((resolve) => destination.flush(resolve));

/** A line of the log for a person: `12:00:00 warn news refreshed version=3`, and the stack of an error below it. */
export function toReadable(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const shown = Object.entries(fields).map(([name, value]) => {
    return `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`;
  });
  const { message, stack = message } = (err ?? {}) as { readonly message?: string; readonly stack?: string };
  const text = [String(time).slice(11, 19), level, msg, ...shown].join(" ");
  return stack === undefined ? text : `${text}\n${stack}`;
}

/** Type, message and stacks. pino's own serializer also copies every field of an error, a model's request among them. */
const describeError = (error: unknown) =>
  error instanceof Error ? { type: error.name, message: error.message, stack: stackOf(error) } : String(error);
