import type { Logger } from "../../runtime/logger.ts";
import type { Context } from "../framework/command-context.ts";

/** The logger of a command: warnings and errors as plain text, the rest with --verbose. */
export function createTerminalLogger({ terminal, globals }: Context): Logger {
  const { verbose } = globals;
  const line =
    (level: string, always: boolean) =>
    (fields: object, message: string): void => {
      if (!always && !verbose) return;
      terminal.say(verbose ? `${level}: ${message} ${JSON.stringify(fields, errorText)}` : `${level}: ${message}`);
    };
  return {
    debug: line("debug", false),
    info: line("info", false),
    warn: line("warning", true),
    error: line("error", true),
  };
}

function errorText(_key: string, value: unknown): unknown {
  return value instanceof Error ? (value.stack ?? value.message) : value;
}
