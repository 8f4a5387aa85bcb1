import { CommanderError, Command } from "commander";
import { CATALOGUE } from "./command-catalogue.ts";
import type { CommandIo } from "./framework/command-io.ts";
import { openContext } from "./framework/command-context.ts";
import { declareCommand, type Invocation } from "./framework/define-command.ts";
import { didYouMean } from "../runtime/text/edit-distance.ts";
import { EXIT, UsageError } from "./framework/command-failure.ts";
import TOPICS from "./help/help-topics.json" with { type: "json" };
import { version } from "../runtime/package-file.ts";
import { declareGlobals } from "./framework/global-flags.ts";
import { descriptionOf, examplesOf, notesOf } from "./help/command-help.ts";
import { escapeForTerminal } from "./terminal/clean-text.ts";

/** Runs one command line, the words after `anp`. @returns the exit code of the process
 * @example const code = await main(["ledger", "alice", "--json"], io); */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  const invocation: Invocation = { verbose: (io.env["ANP_DEBUG"] ?? "") !== "", exit: EXIT.ok };
  // The command that wrote reports a failed write. A reader that has gone is not a failure.
  for (const stream of [io.stdout, io.stderr]) stream.on("error", () => undefined);
  try {
    if (argv[0] === "__complete") {
      await (await import("./completion/complete.ts")).complete(argv.slice(1), io);
      return EXIT.ok;
    }
    const args = await argumentsOf(argv, io);
    const program = createProgram(io, invocation);
    if (args !== undefined) await program.parseAsync(args, { from: "user" });
    return invocation.exit;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? EXIT.ok : EXIT.usage; // commander has already printed its message.
    }
    const { exit, lines } = (await import("./framework/error-to-exit-code.ts")).reportOf(error, invocation);
    writeError(io, `${lines.join("\n")}\n`);
    return exit;
  }
}

const writeError = ({ stderr }: CommandIo, text: string): void =>
  void stderr.write(stderr.isTTY === true ? escapeForTerminal(text) : text);

const ALIASES: Readonly<Record<string, string>> = { balance: "quota", user: "users", token: "tokens" };

/** `anp help X` is `anp X --help`, or one of the help topics; undefined when a topic was printed. */
async function argumentsOf(argv: readonly string[], { stdout }: CommandIo): Promise<readonly string[] | undefined> {
  const [first = "help", second, ...rest] = argv;
  if (first !== "help") return [Object.hasOwn(ALIASES, first) ? ALIASES[first]! : first, ...argv.slice(1)];
  if (second === undefined) return ["--help"];
  if (CATALOGUE.some(({ name }) => name === second)) return [second, ...rest, "--help"];
  if (!Object.hasOwn(TOPICS, second)) {
    const known = [...CATALOGUE.map(({ name }) => name), ...Object.keys(TOPICS)];
    throw new UsageError(`There is no command or help topic ${second}.${didYouMean(second, known)}`);
  }
  stdout.write(await (await import("./help/help-text.ts")).helpText(second));
  return undefined;
}

const DEFAULT_COLUMNS = 80;

function createProgram(io: CommandIo, invocation: Invocation): Command {
  const { stdout, stderr } = io;
  const program: Command = new Command("anp")
    .usage("COMMAND [options]")
    .helpCommand(false)
    .version(version(), "--version", "show the version")
    .helpOption("-h, --help", "show help")
    .configureHelp({ subcommandTerm: (command) => command.name(), commandDescription: descriptionOf })
    .addHelpText("afterAll", ({ command }) => helpEnd(command, program, stdout.columns ?? DEFAULT_COLUMNS))
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => writeError(io, text),
      getOutHelpWidth: () => stdout.columns ?? DEFAULT_COLUMNS,
      getErrHelpWidth: () => stderr.columns ?? DEFAULT_COLUMNS,
    })
    .exitOverride();
  declareGlobals(program);
  const wiring = { open: () => openContext(program, io), program: { catalogue: CATALOGUE, main }, invocation };
  for (const { name, group, summary } of CATALOGUE) program.command(name).summary(summary).helpGroup(`${group}:`);
  program.hook("preSubcommand", async (_program, command) => {
    const entry = CATALOGUE.find(({ name }) => name === command.name());
    if (entry !== undefined) declareCommand(command, await entry.load(), wiring);
  });
  return program;
}

function helpEnd(command: Command, program: Command, columns: number): string {
  const examples = examplesOf(command).map((line) => `  $ ${line}`);
  const topics = command === program ? `\n\nTopics: anp help ${Object.keys(TOPICS).join(" | ")}` : "";
  const notes = notesOf(command, program).map((note) => `\n${command.createHelp().boxWrap(note, columns)}\n`);
  return `${notes.join("")}\nExamples:\n${examples.join("\n")}${topics}`;
}
