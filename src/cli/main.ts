import { CommanderError } from "commander";
import { CATALOGUE } from "./catalogue.ts";
import type { Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { readGlobals } from "./globals.ts";
import { createProgram } from "./program.ts";
import { openTerminal } from "./terminal.ts";

/**
 * Runs one command line and sets the exit code of the process.
 *
 * @param argv the words after `anp`
 */
export async function main(argv: readonly string[]): Promise<void> {
  const { env } = process;
  const invocation: Invocation = { path: "anp", fields: {}, verbose: (env["ANP_DEBUG"] ?? "") !== "" };
  // A failed write is told by whoever wrote; that nobody reads any more is no failure.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const program = createProgram((root) => ({
    invocation,
    open() {
      const globals = readGlobals(root, env);
      return { globals, env, terminal: openTerminal({ color: globals.color, input: globals.input, env }) };
    },
  }));
  try {
    const words = await wordsOf(argv);
    if (words !== undefined) await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has said it already.
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
      return;
    }
    const { reportOf } = await import("./report.ts");
    const { exit, lines } = reportOf(error, invocation);
    process.exitCode = exit;
    process.stderr.write(`${lines.join("\n")}\n`);
  }
}

/** `anp help X` is `anp X --help`, or one of the help topics; undefined when a topic was printed. */
async function wordsOf(argv: readonly string[]): Promise<readonly string[] | undefined> {
  const [first, second, ...rest] = argv;
  if (first === undefined) return ["--help"];
  if (first !== "help") return argv;
  if (second === undefined) return ["--help"];
  if (CATALOGUE.some(({ name }) => name === second)) return [second, ...rest, "--help"];
  const { TOPICS } = await import("./topics.ts");
  const topic = TOPICS.get(second);
  if (topic === undefined) return [second];
  process.stdout.write(topic);
  return undefined;
}
