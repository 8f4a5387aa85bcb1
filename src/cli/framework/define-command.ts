import type { Command } from "commander";
import { findDaemon } from "../target/daemon-target.ts";
import { openContext, type Context } from "./command-context.ts";
import type { CommandIo } from "./command-io.ts";
import { UsageError, type ExitCode } from "./exit.ts";
import { FORMATS, type Format } from "./global-flags.ts";
import { flagOf, type Param, type Params, type Values } from "./param.ts";
import { readValues } from "./read-values.ts";

/**
 * What a command works on: only the storage, the storage or a running daemon (`--url`), or neither of them (it may then
 * interpret these flags itself).
 */
export type Target = "storage" | "either" | "none";

/** One command: arguments and flags → values → run(values). */
export interface CommandSpec<A extends Params, O extends Params> {
  readonly name: string;
  readonly summary: string;
  /** A longer text for its help. */
  readonly description?: string;
  readonly arguments: A;
  readonly options: O;
  /** Command lines to paste, without the leading `anp`. */
  readonly examples: readonly [string, ...string[]];
  /** Field of the contract → argument or flag, if that is not `--field-name`. */
  readonly fields?: Readonly<Record<string, string>>;
  /** `storage` when left out. */
  readonly target?: Target;
  /** The formats it prints; all of them when left out. */
  readonly formats?: readonly Format[];
  /** Returns an exit code if that is not 0 although nothing failed. */
  readonly run: (values: Values<A> & Values<O>, context: Context) => Promise<void> | Promise<ExitCode>;
}

/** The command that runs, once it is known: what the report of its failure needs, and what it returned. */
export interface Invocation {
  /** The command's full name, as `anp ledger list`. */
  path: string;
  fields: Readonly<Record<string, string>>;
  verbose: boolean;
  exit: ExitCode;
}

/** What a definition needs to become part of a program. */
export interface Wiring {
  readonly io: CommandIo;
  readonly invocation: Invocation;
}

/** A command or a group of commands, ready to be declared on commander's. */
export interface Definition {
  readonly name: string;
  readonly summary: string;
  readonly fill: (command: Command, wiring: Wiring) => void;
  /** Its arguments; a group has none itself. */
  readonly arguments: Params;
  readonly options: Params;
  readonly target: Target;
  readonly formats: readonly Format[];
  /** The verbs of a group, and the one that runs when none is typed. */
  readonly commands: readonly Definition[];
  readonly fallback?: Definition;
}

/**
 * Defines one command.
 *
 * @example
 * export const quota = defineCommand({
 *   name: "quota",
 *   summary: "Show a user's points",
 *   arguments: { user: knownUser("USER", "id of the user") },
 *   options: { json: toggle("as JSON") },
 *   examples: ["quota alice"],
 *   async run({ user, json }, context) { … },
 * });
 */
export function defineCommand<A extends Params, O extends Params>(spec: CommandSpec<A, O>): Definition {
  const { name, summary, target = "storage", formats = FORMATS } = spec;
  return {
    name,
    summary,
    arguments: spec.arguments,
    options: spec.options,
    target,
    formats,
    commands: [],
    fill(command, { io, invocation }) {
      declareCommand(command, spec);
      command.action(async () => {
        invocation.path = pathOf(command);
        invocation.fields = spec.fields ?? {};
        const opened = openContext(rootOf(command), io);
        invocation.verbose = opened.globals.verbose;
        checkFormat(opened.globals.format, formats);
        const context = await withTarget(target, opened, invocation.path);
        const values = await readValues(spec, command, context);
        invocation.exit = (await spec.run(values as Values<A> & Values<O>, context)) ?? invocation.exit;
      });
    },
  };
}

/** Declares a command's help, arguments and flags on commander's. */
function declareCommand(command: Command, spec: Omit<CommandSpec<Params, Params>, "run">): void {
  const params = Object.values(spec.arguments);
  const names = params.map((param) => (param.missing === undefined ? nameOf(param) : `[${nameOf(param)}]`));
  command.description(spec.description ?? spec.summary).usage(["[options]", ...names].join(" "));
  // Optional for commander: on a terminal, a prompt asks for a missing one.
  for (const param of params) command.argument(`[${nameOf(param)}]`, param.about);
  for (const [key, param] of Object.entries(spec.options)) {
    const about = param.value !== undefined && param.missing === undefined ? `${param.about} (required)` : param.about;
    const flag = param.value === undefined ? flagOf(key) : `${flagOf(key)} <${param.value}>`;
    if (param.readAll === undefined) command.option(flag, about);
    else command.option(flag, about, (typed: string, before?: readonly string[]) => [...(before ?? []), typed]);
  }
  addExamples(command, spec.examples);
}

/** A noun with verbs under it. `fallback` names the verb that runs when none is typed. */
export function defineGroup(spec: {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Definition[];
  readonly fallback?: string;
  readonly examples: readonly [string, ...string[]];
}): Definition {
  const fallback = spec.commands.find(({ name }) => name === spec.fallback);
  return {
    name: spec.name,
    summary: spec.summary,
    arguments: {},
    options: {},
    target: "none",
    formats: FORMATS,
    commands: spec.commands,
    ...(fallback !== undefined && { fallback }),
    fill(group, wiring) {
      group.description(spec.summary).helpCommand(false);
      addExamples(group, spec.examples);
      for (const { name, summary, fill } of spec.commands) {
        const command = group.command(name, { isDefault: name === spec.fallback }).summary(summary);
        fill(command, wiring);
      }
    },
  };
}

function addExamples(command: Command, examples: readonly string[]): void {
  command.addHelpText("after", `\nExamples:\n${examples.map((line) => `  $ anp ${line}`).join("\n")}`);
}

/** @throws UsageError for flags of a daemon that the command does not take */
async function withTarget(target: Target, context: Context, path: string): Promise<Context> {
  const { globals, env } = context;
  if (target === "either") {
    const daemon = await findDaemon(globals, env);
    return daemon === undefined ? context : { ...context, daemon };
  }
  const flag = (["url", "profile", "token"] as const).find((name) => globals[name] !== undefined);
  if (target === "storage" && flag !== undefined) {
    throw new UsageError(`${path} works on the storage itself: give --storage instead of --${flag}.`);
  }
  return context;
}

function checkFormat(format: Format | undefined, formats: readonly Format[]): void {
  if (format === undefined || formats.includes(format)) return;
  throw new UsageError(`--format must be ${formats.join(" or ")} here, not ${format}.`);
}

/** The name of an argument in usage; one that takes all remaining words has dots. */
function nameOf(param: Param<unknown>): string {
  return param.readAll === undefined ? param.value! : `${param.value!}...`;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
