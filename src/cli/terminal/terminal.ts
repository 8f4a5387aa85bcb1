import { styleText } from "node:util";
import type { Logger } from "../../runtime/logger.ts";
import type { CommandIo, Env } from "../framework/command-io.ts";
import { CommandFailure, EXIT } from "../framework/command-failure.ts";
import type { Globals } from "../framework/global-flags.ts";
import { escapeForTerminal, escapeUnpainted } from "./clean-text.ts";
import { cutToWidth } from "./text-width.ts";

export type Terminal = ReturnType<typeof openTerminal>;
/** Begins a line of progress. */
export const CLEARED_LINE = "\r\u001b[2K";
const READER_GONE: ReadonlySet<string> = new Set(["EPIPE", "ERR_STREAM_DESTROYED"]);
const KEPT = "What the command has changed stays changed.";

/** Opens the output of a command: the one place that decides about terminal, colour and prompts. Control characters are
 * escaped only for a terminal. @param flags --no-color, --no-input; `quiet` leaves out hints and progress */
export function openTerminal(flags: Pick<Globals, "color" | "input" | "quiet">, io: CommandIo) {
  const { stdin, stdout, stderr, env } = io;
  const interactive = stdout.isTTY === true;
  let hasProgress = false;
  const clearProgress = (): void => {
    if (hasProgress) stderr.write(CLEARED_LINE);
    hasProgress = false;
  };
  const warn = (text: string): void => {
    clearProgress();
    stderr.write(`${stderr.isTTY ? escapeForTerminal(text) : text}\n`);
  };
  const colour = wantsColour(flags.color, env, interactive);
  return {
    interactive,
    /** Whether questions may be asked: stdin and stderr are terminals, and neither CI nor --no-input is set. */
    canPrompt:
      stdin.isTTY === true && stderr.isTTY === true && flags.input && ["", "0", "false"].includes(env["CI"] ?? ""),
    colour, // Whether text for stdout is coloured.
    columns: stdout.columns || 80, // Width in columns.
    /** Writes data to stdout, waits for the reader; false when it has gone. @throws CommandFailure as on a full disk */
    write: (text: string) =>
      new Promise<boolean>((resolve, reject) => {
        if (interactive) clearProgress();
        stdout.write(interactive ? escapeUnpainted(text) : text, (error?: NodeJS.ErrnoException | null) => {
          if (!error) resolve(true);
          else if (READER_GONE.has(error.code ?? "")) resolve(false);
          else reject(new CommandFailure(EXIT.failure, `The output cannot be written: ${error.message}. ${KEPT}`));
        });
      }),
    /** Clears the terminal that stdout is, so that a screen can be drawn again. */
    clear: (): void => void (interactive && stdout.write("\u001b[H\u001b[2J")),
    say: flags.quiet ? (_text: string): void => undefined : warn, // Writes a line to stderr: a hint, a count.
    warn, // Writes a line to stderr, also with --quiet.
    /** Rewrites a line of progress on stderr, cut to its width, on a terminal that keeps up. No text clears it. */
    progress(text: string): void {
      if (stderr.isTTY !== true || flags.quiet || (text !== "" && stderr.writableNeedDrain)) return;
      stderr.write(`${CLEARED_LINE}${cutToWidth(escapeForTerminal(text), (stderr.columns || 80) - 1)}`);
      hasProgress = text !== "";
    },
    /** Colours text for stdout, if colour is on. */
    paint: (style: "bold" | "dim" | "red" | "green", text: string): string =>
      colour ? styleText(style, text, { validateStream: false }) : text,
  };
}

/** --no-color > NO_COLOR > FORCE_COLOR > terminal. */
function wantsColour(flag: boolean, env: Env, terminal: boolean): boolean {
  if (!flag || (env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  return forced === undefined ? terminal && env["TERM"] !== "dumb" : forced !== "0" && forced !== "false";
}

/** A logger on a terminal: warnings and errors as plain text, the rest with --verbose. */
export function createTerminalLogger({ warn }: Terminal, { verbose }: Globals): Logger {
  const textOf = (_key: string, value: unknown) => (value instanceof Error ? (value.stack ?? value.message) : value);
  const line = (level: string) => (fields: object, message: string) => {
    warn(`${level}: ${message}${verbose ? ` ${JSON.stringify(fields, textOf)}` : ""}`);
  };
  const detail = verbose ? line : () => () => undefined;
  return { debug: detail("debug"), info: detail("info"), warn: line("warning"), error: line("error") };
}
