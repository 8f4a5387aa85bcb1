import { CommandFailure, EXIT } from "../framework/exit.ts";

/** SGR codes: on and off. */
const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39] } as const;

type Style = keyof typeof STYLES;

/** Where a command's words go: decides terminal, colour and prompts in one place. */
export interface Terminal {
  /** Whether stdout is a terminal: a person reads, not a program. */
  readonly interactive: boolean;
  /** Whether questions may be asked: stdin and stdout are terminals, and neither CI nor --no-input is set. */
  readonly canPrompt: boolean;
  /** Width in columns. */
  readonly columns: number;
  /**
   * Writes data to stdout and waits until it is taken; false when nobody reads any more.
   *
   * @throws CommandFailure when it cannot be written, as on a full disk
   */
  write(text: string): Promise<boolean>;
  /** Writes a line that is no data to stderr. */
  say(text: string): void;
  /** Rewrites one line of progress on stderr; nothing where stderr is no terminal. An empty text clears it. */
  progress(text: string): void;
  /** Colours text for stdout, where colour is wanted. */
  paint(style: Style, text: string): string;
}

/** What a write ends with once the reader has gone. */
const NOBODY_READS: ReadonlySet<string> = new Set(["EPIPE", "ERR_STREAM_DESTROYED"]);

/** What the flags and the environment say about the terminal. */
export interface TerminalWishes {
  /** false with --no-color. */
  readonly color: boolean;
  /** false with --no-input. */
  readonly input: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The terminal of this process. */
export function openTerminal({ color, input, env }: TerminalWishes): Terminal {
  const { stdin, stdout, stderr } = process;
  const interactive = stdout.isTTY;
  const colour = wantsColour(color, env, interactive);
  return {
    interactive,
    canPrompt: stdin.isTTY && interactive && input && !isSet(env["CI"]),
    columns: stdout.columns || 80,
    write: (text) =>
      new Promise((resolve, reject) => {
        stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
          if (!error) resolve(true);
          else if (NOBODY_READS.has(error.code ?? "")) resolve(false);
          else reject(new CommandFailure(EXIT.failure, `The output cannot be written: ${error.message}`));
        });
      }),
    say(text) {
      stderr.write(`${text}\n`);
    },
    progress(text) {
      if (stderr.isTTY) stderr.write(`\r\u001b[2K${text}`);
    },
    paint(style, text) {
      const [on, off] = STYLES[style];
      return colour ? `\u001b[${on}m${text}\u001b[${off}m` : text;
    },
  };
}

/** --no-color > NO_COLOR > FORCE_COLOR > terminal. */
function wantsColour(flag: boolean, env: TerminalWishes["env"], terminal: boolean): boolean {
  if (!flag) return false;
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return terminal && env["TERM"] !== "dumb";
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0" && value !== "false";
}
