import type { Command } from "commander";
import type { Role } from "../../contract/roles.ts";
import TABLE from "../commands.json" with { type: "json" };
import SHARED from "../shared-params.json" with { type: "json" };
import { findDaemon } from "../target/daemon-target.ts";
import type { Context } from "./command-context.ts";
import type { CommandIo } from "./command-io.ts";
import { EXIT, UsageError, type ExitCode } from "./command-failure.ts";
import { FORMATS, type Format } from "./global-flags.ts";
import { flagOf, type CommandParams, type Param, type Params, type ParamTypes, type Values } from "../params/param.ts";
import { readValues } from "../params/read-values.ts";

/** The entry of a command in `commands.json`. `help/commands.md` has its description and examples. */
export interface CommandFacts {
  readonly group?: string; // The heading in the help, of a first word.
  readonly summary: string;
  /** What it works on: the storage (the default), storage or daemon (`--url`), or neither. */
  readonly target?: "storage" | "either" | "none";
  /** Who may run it at the admin address: `support` if it only reads, else `operator`; nobody if left out. */
  readonly role?: Role;
  readonly formats?: readonly Format[]; // The formats it prints; all of them when left out.
  /** The texts of its arguments and flags: the placeholder of a value, and what it means. A flag without a value has
   * only a meaning. Defaults are in `shared-params.json`. */
  readonly takes?: Texts;
  readonly fields?: Readonly<Record<string, string>>; // Field of the contract → its argument or flag, if not `--field`.
}

type Texts = Readonly<Record<string, string | readonly string[]>>;
/** The name of a command, as `ledger list`. */
export type CommandName = keyof typeof TABLE;
/** All commands and groups of commands, in the order of the help. */
export const COMMANDS = TABLE as Readonly<Record<CommandName, CommandFacts>>;

interface CommandSpec<A extends ParamTypes, O extends ParamTypes> {
  readonly arguments?: A;
  readonly options?: O;
  /** May return a nonzero exit code for an outcome that is no error. */
  readonly run: (values: Values<A> & Values<O>, context: RunContext) => Promise<void> | Promise<ExitCode>;
}

/** The running command, once it is known: what an error report needs, and its result. */
export interface Invocation {
  command?: CommandName; // Undefined until it is known.
  verbose: boolean;
  exit: ExitCode;
}

/** The command line program: its commands, and `main`, which runs one command line. */
export interface Program {
  readonly catalogue: readonly { readonly load: () => Promise<Definition> }[];
  readonly main: (argv: readonly string[], io: CommandIo) => Promise<number>;
}

// oxlint-disable-next-line typescript/no-empty-object-type -- The params of a command without any.
type Nothing = {};
type RunContext = Context & { readonly program: Program };
/** What a definition needs to become part of a program. */
export type CommandDeps = { readonly open: () => Context; readonly program: Program; readonly invocation: Invocation };

/** A command, a group of commands, or both. */
export interface Definition extends CommandFacts, CommandParams {
  readonly name: CommandName;
  readonly commands: Readonly<Record<string, Definition>>; // The verbs of a group by their names.
  readonly fallback?: Definition | undefined; // The verb that runs when none is typed.
  readonly run?: (values: never, context: RunContext) => Promise<void> | Promise<ExitCode>; // Absent for a group.
}

/** Defines one command of `commands.json`.
 * @example
 * export const quota = defineCommand("quota", {
 *   arguments: { user: knownUser() },
 *   options: { json: toggle() },
 *   async run({ user, json }, context) { … },
 * }); */
export function defineCommand<A extends ParamTypes = Nothing, O extends ParamTypes = Nothing>(
  name: CommandName,
  { run, ...spec }: CommandSpec<A, O>,
): Definition {
  const params = { arguments: describeParams(name, spec.arguments), options: describeParams(name, spec.options) };
  return { name, ...COMMANDS[name], ...params, commands: {}, run };
}

/** The params of a command with their texts. */
function describeParams(name: CommandName, readings: ParamTypes = {}): Params {
  const texts: Texts = { ...SHARED, ...COMMANDS[name].takes };
  const described = Object.entries(readings).map(([key, reading]) => {
    const [about, value] = [texts[key]!].flat().toReversed();
    return [key, { ...reading, value, about: about! }] as const;
  });
  return Object.fromEntries(described);
}

/** A noun with verbs under it, by their names. `fallback` is the verb that runs when none is typed. */
export function defineGroup(name: CommandName, commands: Definition["commands"], fallback?: Definition): Definition {
  return { name, ...COMMANDS[name], arguments: {}, options: {}, commands, fallback };
}

/** Declares a command and its verbs on commander's. */
export function declareCommand(command: Command, definition: Definition, wiring: CommandDeps): void {
  if (definition.run !== undefined) {
    declareParams(command, definition);
    command.action(() => runCommand(command, definition, wiring));
  }
  command.helpCommand(false);
  for (const [name, verb] of Object.entries(definition.commands)) {
    const declared = command.command(name, { isDefault: verb === definition.fallback });
    declareCommand(declared.summary(verb.summary), verb, wiring);
  }
}

async function runCommand(command: Command, definition: Definition, { open, program, invocation }: CommandDeps) {
  const { name, formats = FORMATS } = definition;
  invocation.command = name;
  const opened = open();
  const { format, verbose } = opened.globals;
  invocation.verbose = verbose;
  if (format !== undefined && !formats.includes(format))
    throw new UsageError(`--format must be ${formats.join(" or ")} here, not ${format}.`);
  const context = await withTarget(definition, opened);
  const { values, typed } = await readValues(definition, command, context);
  const run = async () => definition.run?.(values as never, { ...context, program });
  const send = async () => (await import("../target/send-command.ts")).sendCommand(context, definition, typed);
  invocation.exit = (await (context.operatorOf === undefined ? run : send)()) ?? EXIT.ok;
}

function declareParams(command: Command, spec: CommandParams): void {
  const params = Object.values(spec.arguments);
  const names = params.map((param) => (param.missing === undefined ? nameOf(param) : `[${nameOf(param)}]`));
  command.usage(["[options]", ...names].join(" "));
  command.allowExcessArguments(); // `readValues` refuses them, with advice.
  // Optional for commander: on a terminal, a prompt asks for a missing one.
  for (const param of params) command.argument(`[${nameOf(param)}]`, param.about);
  for (const [key, param] of Object.entries(spec.options)) {
    const about = param.value !== undefined && param.missing === undefined ? `${param.about} (required)` : param.about;
    const flag = param.value === undefined ? flagOf(key) : `${flagOf(key)} <${param.value}>`;
    if (param.readAll === undefined) command.option(flag, about);
    else command.option(flag, about, (typed: string, before?: readonly string[]) => [...(before ?? []), typed]);
  }
}

/** @throws UsageError for flags of a daemon that the command does not take */
async function withTarget({ name, target = "storage", role }: Definition, context: Context): Promise<Context> {
  const { globals, io } = context;
  if (io.hosted !== undefined) return context;
  const daemon = target === "either" || role !== undefined ? await findDaemon(context) : undefined;
  const token = daemon?.token;
  if (token !== undefined && (await import("../../contract/roles.ts")).isOperatorToken(token)) {
    if (role !== undefined) return { ...context, operatorOf: { url: daemon!.url, token } };
    const remedy = "Leave it out or give a user's, with --url of the API (server.port), not of the admin address.";
    throw new UsageError(`anp ${name} does not take an operator's token. ${remedy}`);
  }
  if (target === "either") return daemon === undefined ? context : { ...context, daemon };
  const flag = (["url", "profile", "token"] as const).find((name) => globals[name] !== undefined);
  if (target === "storage" && flag !== undefined) {
    const also = role === undefined ? "" : ", or an operator's token of its admin address";
    throw new UsageError(`anp ${name} works on the storage itself: give --storage instead of --${flag}${also}.`);
  }
  return context;
}

const nameOf = (param: Param<unknown>): string => (param.readAll === undefined ? param.value! : `${param.value!}...`);
