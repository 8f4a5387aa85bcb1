import { createInterface } from "node:readline";
import { AnpError } from "../../../contract/errors.ts";
import type { Outcome } from "../../../service/operation.ts";
import { EXIT, type Context, type ExitCode } from "../../framework/command.ts";
import { cleanText } from "../../terminal/clean-text.ts";
import { costOf, sourcesOf, type Answer } from "./show-answer.ts";

const COMMANDS = "/sources shows what the last answer quotes, /new begins another session, /quit or Ctrl-D ends.";

type Ask = (question: string, session: number | undefined) => Promise<Outcome<"sendChat">>;

/** Answers questions from the terminal in one session until the input ends. Ctrl-C while one is typed ends it like
 * Ctrl-D; while an answer is awaited, with the code of an interrupt. @param ask asks in a session, or in a new one */
export async function converse({ io, terminal }: Context, first: number | undefined, ask: Ask): Promise<ExitCode> {
  const lines = createInterface({ input: io.stdin, output: io.stderr, terminal: true, prompt: "> " });
  let session = first;
  let last: Answer | undefined;
  let interrupt: (() => void) | undefined;
  lines.on("SIGINT", () => (interrupt === undefined ? lines.close() : interrupt()));

  async function answer(question: string): Promise<boolean> {
    const interrupted = new Promise<undefined>((resolve) => (interrupt = () => resolve(undefined)));
    terminal.progress("answering, Ctrl-C ends");
    const outcome = await Promise.race([ask(question, session), interrupted]).finally(() => terminal.progress(""));
    interrupt = undefined;
    if (outcome === undefined) return false;
    last = outcome.data;
    session = last.session_id;
    const count = sourcesOf(last).length;
    const hint = count === 0 ? "" : terminal.paint("dim", `\n/sources: ${count}`);
    await terminal.write(`${cleanText(last.answer)}${hint}\n`);
    lines.setPrompt(`[${costOf(last)}] > `);
    return true;
  }

  async function obey(command: string): Promise<void> {
    const sources = last === undefined ? [] : sourcesOf(last);
    if (command === "/sources") await terminal.write(`${sources.join("\n") || "The last answer has no sources."}\n`);
    else if (command !== "/new") terminal.say(COMMANDS);
    else {
      [session, last] = [undefined, undefined];
      terminal.say("The next question begins a new session.");
    }
  }

  terminal.say(COMMANDS);
  try {
    lines.prompt();
    for await (const typed of lines) {
      const line = typed.trim();
      if (line === "/quit") break;
      if (line.startsWith("/")) await obey(line);
      else if (line !== "") {
        try {
          if (!(await answer(line))) return EXIT.interrupted;
        } catch (error) {
          if (!(error instanceof AnpError)) throw error; // A question that is refused leaves the conversation as it is.
          interrupt = undefined;
          terminal.warn(error.message);
        }
      }
      lines.prompt();
    }
  } finally {
    lines.close();
  }
  return EXIT.ok;
}
