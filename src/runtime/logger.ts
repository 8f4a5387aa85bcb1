/** Structured logging: an event's fields, then a short message. Never tokens, never the text of a question. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const ignore = (): void => undefined;

/** A logger that keeps silent. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
