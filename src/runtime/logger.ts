/** Structured logging: fields, then a short message. Tokens and questions must never be logged. */
export type Logger = Readonly<Record<"debug" | "info" | "warn" | "error", (fields: object, message: string) => void>>;

const ignore = (): void => undefined;
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** The stack of an error, and below it those of what caused it. */
export const stackOf = ({ stack, message, cause }: Error): string =>
  (stack ?? message) + (cause instanceof Error ? `\ncaused by ${stackOf(cause)}` : "");
