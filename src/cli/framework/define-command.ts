import type { Command } from "commander";
import { pathOf } from "../help/command-help.ts";
import { findDaemon } from "../target/daemon-target.ts";
import { openContext, type Context } from "./command-context.ts";
import type { CommandIo } from "./command-io.ts";
import { UsageError, type ExitCode } from "./exit.ts";
import { FORMATS, type Format } from "./global-flags.ts";
import { flagOf, type CommandParams, type Param, type Params, type Values } from "./param.ts";
import { readValues } from "./read-values.ts";

/**
 * What a command works on: only the storage, the storage or a running daemon (`--url`), or neither of them (it may then
 * interpret these flags itself).
 */
export type Target = "storage" | "either" | "none";

// oxlint-disable-next-line typescript/no-empty-object-type -- What a command takes that takes nothing: no keys.
type None = {};

/** One command: arguments and flags → values → run(values). `help/commands.md` has its description and examples. */
export interface CommandSpec<A extends Params = None, O extends Params = None> {
  /** A line about a verb; the catalogue has that of a first word. */
  readonly summary?: string;
  readonly arguments?: A;
  readonly options?: O;
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
  readonly summary: string;
  readonly fill: (command: Command, wiring: Wiring) => void;
  /** Its arguments; a group has none itself. */
  readonly arguments: Params;
  readonly options: Params;
  readonly target: Target;
  readonly formats: readonly Format[];
  /** The verbs of a group by their names, and the one that runs when none is typed. */
  readonly commands: Readonly<Record<string, Definition>>;
  readonly fallback?: Definition | undefined;
}

/**
 * Defines one command.
 *
 * @example
 * export const quota = defineCommand({
 *   summary: "Show a user's points",
 *   arguments: { user: knownUser("USER", "id of the user") },
 *   options: { json: toggle("as JSON") },
 *   async run({ user, json }, context) { … },
 * });
 */
export function defineCommand<A extends Params = None, O extends Params = None>(spec: CommandSpec<A, O>): Definition {
  const { summary = "", target = "storage", formats = FORMATS } = spec;
  const params = { arguments: spec.arguments ?? {}, options: spec.options ?? {} };
  return {
    summary,
    ...params,
    target,
    formats,
    commands: {},
    fill(command, { io, invocation }) {
      declareCommand(command, { ...spec, ...params });
      command.action(async () => {
        invocation.path = pathOf(command);
        invocation.fields = spec.fields ?? {};
        const opened = openContext(rootOf(command), io);
        invocation.verbose = opened.globals.verbose;
        checkFormat(opened.globals.format, formats);
        const context = await withTarget(target, opened, invocation.path);
        const values = await readValues(params, command, context);
        invocation.exit = (await spec.run(values as Values<A> & Values<O>, context)) ?? invocation.exit;
      });
    },
  };
}

function declareCommand(command: Command, spec: Omit<CommandSpec<Params, Params>, "run"> & CommandParams): void {
  const params = Object.values(spec.arguments);
  const names = params.map((param) => (param.missing === undefined ? nameOf(param) : `[${nameOf(param)}]`));
  command.usage(["[options]", ...names].join(" "));
  // Optional for commander: on a terminal, a prompt asks for a missing one.
  for (const param of params) command.argument(`[${nameOf(param)}]`, param.about);
  for (const [key, param] of Object.entries(spec.options)) {
    const about = param.value !== undefined && param.missing === undefined ? `${param.about} (required)` : param.about;
    const flag = param.value === undefined ? flagOf(key) : `${flagOf(key)} <${param.value}>`;
    if (param.readAll === undefined) command.option(flag, about);
    else command.option(flag, about, (typed: string, before?: readonly string[]) => [...(before ?? []), typed]);
  }
}

/** A noun with verbs under it, by their names. `fallback` names the verb that runs when none is typed. */
export function defineGroup<C extends Readonly<Record<string, Definition>>>(
  commands: C,
  fallback?: keyof C & string,
): Definition {
  return {
    summary: "",
    arguments: {},
    options: {},
    target: "none",
    formats: FORMATS,
    commands,
    fallback: fallback && commands[fallback],
    fill(group, wiring) {
      group.helpCommand(false);
      for (const [name, { summary, fill }] of Object.entries(commands)) {
        const command = group.command(name, { isDefault: name === fallback }).summary(summary);
        fill(command, wiring);
      }
    },
  };
}

/** @throws UsageError for flags of a daemon that the command does not take */
async function withTarget(target: Target, context: Context, path: string): Promise<Context> {
  const { globals } = context;
  if (target === "either") {
    const daemon = await findDaemon(context);
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

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
