import { pino } from "pino";
import type { Clock } from "../../../runtime/clock.ts";
import type { Logger } from "../../../runtime/logger.ts";

/** A logger whose lines are written in the background, and the way to write what is left. */
export interface FlushedLogger extends Logger {
  /** Writes what is waiting, at once. */
  flush(): void;
}

/** How long a line may wait to be written, ms. */
const FLUSH_MS = 200;

/** Lines of JSON on stderr. */
export function createPinoLogger(level: "debug" | "info" | "warn" | "error" | "silent", clock: Clock): FlushedLogger {
  // Under load, lines go out by the buffer instead of one by one: a write a line costs a quarter of a request.
  const destination = pino.destination({ dest: 2, sync: false, minLength: 4096, periodicFlush: FLUSH_MS });
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    destination,
  );
  return {
    debug: (fields, message) => {
      logger.debug(fields, message);
    },
    info: (fields, message) => {
      logger.info(fields, message);
    },
    warn: (fields, message) => {
      logger.warn(fields, message);
    },
    error: (fields, message) => {
      logger.error(fields, message);
    },
    flush: () => {
      destination.flushSync();
    },
  };
}

/** Type, message and stacks. pino's own serializer also copies every field of an error, a model's request among them. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  return { type: error.name, message: error.message, stack: stackOf(error) };
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
