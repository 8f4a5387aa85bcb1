import { CommanderError } from "commander";
import { CATALOGUE } from "./command-catalogue.ts";
import type { Invocation } from "./framework/define-command.ts";
import { didYouMean } from "../runtime/did-you-mean.ts";
import { EXIT, UsageError } from "./framework/exit.ts";
import { readGlobals } from "./framework/global-flags.ts";
import { createProgram } from "./program.ts";
import { openTerminal } from "./terminal/terminal.ts";
import { TOPICS } from "./help/help-topics.ts";

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
    if (argv[0] === "__complete") {
      const { complete } = await import("./completion/complete.ts");
      await complete(argv.slice(1), env);
      return;
    }
    const words = await wordsOf(argv);
    if (words !== undefined) await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander has said it already.
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
      if (error.code === "commander.excessArguments") sayWhatIsTaken(argv);
      return;
    }
    const { reportOf } = await import("./framework/error-report.ts");
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
  const topic = TOPICS.get(second);
  if (topic === undefined) {
    const known = [...CATALOGUE.map(({ name }) => name), ...TOPICS.keys()];
    throw new UsageError(`There is no command or help topic ${second}.${didYouMean(second, known)}`);
  }
  process.stdout.write(await topic.text());
  return undefined;
}

/** What follows `--` is taken as it is: a flag there is one argument too many. */
function sayWhatIsTaken(argv: readonly string[]): void {
  const end = argv.indexOf("--");
  const flag = end === -1 ? undefined : argv.slice(end + 1).find((word) => word.startsWith("--"));
  if (flag !== undefined) process.stderr.write(`What follows -- is taken as it is: put ${flag} before it.\n`);
}
