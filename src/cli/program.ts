import { Command } from "commander";
import { version } from "../runtime/version.ts";
import { CATALOGUE } from "./command-catalogue.ts";
import type { Wiring } from "./framework/define-command.ts";
import { declareGlobals } from "./framework/global-flags.ts";
import { descriptionOf, examplesOf } from "./help/command-help.ts";
import { TOPICS } from "./help/help-topics.ts";

/** Width of help that is not shown on a terminal. */
const DEFAULT_COLUMNS = 80;

/** The program with the names of its commands; the definition of a command is loaded once it is typed. */
export function createProgram(wiring: Wiring): Command {
  const { stdout, stderr } = wiring.io;
  const program = new Command("anp")
    .usage("COMMAND [options]")
    .helpCommand(false)
    .version(version(), "--version", "show the version")
    .helpOption("-h, --help", "show help")
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) => command.name(),
      commandDescription: descriptionOf,
    })
    .addHelpText("afterAll", ({ command }) => helpEnd(command))
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? DEFAULT_COLUMNS,
      getErrHelpWidth: () => stderr.columns ?? DEFAULT_COLUMNS,
    })
    .exitOverride();
  declareGlobals(program);
  for (const { name, group, summary } of CATALOGUE) program.command(name).summary(summary).helpGroup(`${group}:`);
  program.hook("preSubcommand", async (_program, command) => {
    const entry = CATALOGUE.find(({ name }) => name === command.name());
    if (entry !== undefined) (await entry.load()).fill(command, wiring);
  });
  return program;
}

function helpEnd(command: Command): string {
  const examples = examplesOf(command).map((line) => `  $ ${line}`);
  const topics = command.parent === null ? `\n\nTopics: anp help ${Object.keys(TOPICS).join(" | ")}` : "";
  return `\nExamples:\n${examples.join("\n")}${topics}`;
}
