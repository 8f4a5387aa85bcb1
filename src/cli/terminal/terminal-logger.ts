import type { Logger } from "../../runtime/logger.ts";
import type { Context } from "../framework/command-context.ts";

/** The logger of a command: warnings and errors as plain text, the rest with --verbose. */
export function createTerminalLogger({ terminal, globals }: Context): Logger {
  const { verbose } = globals;
  const textOf = (_key: string, value: unknown) => (value instanceof Error ? (value.stack ?? value.message) : value);
  const line = (level: string) => (fields: object, message: string) => {
    terminal.warn(`${level}: ${message}${verbose ? ` ${JSON.stringify(fields, textOf)}` : ""}`);
  };
  const detail = verbose ? line : () => () => undefined;
  return { debug: detail("debug"), info: detail("info"), warn: line("warning"), error: line("error") };
}
