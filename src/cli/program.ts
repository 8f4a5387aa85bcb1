import { Command } from "commander";
import { CATALOGUE } from "./command-catalogue.ts";
import type { Wiring } from "./framework/define-command.ts";
import { declareGlobals } from "./framework/global-flags.ts";
import { TOPICS } from "./help/help-topics.ts";
import { version } from "../runtime/version.ts";

/** The program with the names of its commands; what a command takes is loaded once it is typed. */
export function createProgram(wiring: (program: Command) => Wiring): Command {
  const program = new Command("anp")
    .description("Assistant, news and points for the users of a trading platform.")
    .usage("COMMAND [options]")
    .helpCommand(false)
    .version(version(), "--version", "show the version")
    .helpOption("-h, --help", "show help")
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .addHelpText("after", ({ command }) => (command.parent === null ? ROOT_HELP : ""))
    .exitOverride();
  declareGlobals(program);
  const wired = wiring(program);
  for (const { name, group, summary } of CATALOGUE) program.command(name).summary(summary).helpGroup(`${group}:`);
  program.hook("preSubcommand", async (_program, command) => {
    const entry = CATALOGUE.find(({ name }) => name === command.name());
    if (entry !== undefined) (await entry.load()).fill(command, wired);
  });
  return program;
}

const ROOT_HELP = `
Examples:
  $ anp serve --demo
  $ anp ask "How do I withdraw?" --user alice --demo
  $ anp ledger alice --json

Topics: anp help ${[...TOPICS.keys()].join(" | ")}`;
