import type { Command } from "commander";
import { findDaemon, type DaemonTarget } from "../target/daemon-target.ts";
import type { Env } from "./environment.ts";
import { UsageError } from "./exit.ts";
import { FORMATS, type Format, type Globals } from "./global-flags.ts";
import type { Param, Params, Values } from "./param.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { asSentence, notAmong } from "./value-readers.ts";

/** What a command runs in. */
export interface Context {
  readonly terminal: Terminal;
  readonly globals: Globals;
  readonly env: Env;
  /** The running daemon that the command works on; absent when it works on the storage itself. */
  readonly daemon?: DaemonTarget;
}

/**
 * What a command works on: the storage alone, the storage or a running daemon (`--url`), or neither of them (it may
 * then read the flags in a sense of its own).
 */
export type Target = "storage" | "either" | "none";

/** One command: arguments and flags → values → run(values). */
export interface CommandSpec<A extends Params, O extends Params> {
  readonly name: string;
  readonly summary: string;
  /** More than the summary, for its help. */
  readonly description?: string;
  readonly arguments: A;
  readonly options: O;
  /** Lines to paste, without the leading `anp`. */
  readonly examples: readonly [string, ...string[]];
  /** Field of the contract → argument or flag, where it is not `--field-name`. */
  readonly fields?: Readonly<Record<string, string>>;
  /** `storage` when left out. */
  readonly target?: Target;
  /** The formats it prints, where not all. */
  readonly formats?: readonly Format[];
  readonly run: (values: Values<A> & Values<O>, context: Context) => Promise<void>;
}

/** What is known of the command that runs, for the report of its failure. */
export interface Invocation {
  /** The command's full name, as `anp ledger list`. */
  path: string;
  fields: Readonly<Record<string, string>>;
  verbose: boolean;
}

/** What a definition needs to become part of a program. */
export interface Wiring {
  readonly invocation: Invocation;
  /** The context of the command that was typed; reads the program's flags. */
  readonly open: () => Context;
}

/** A command or a group of them, ready to be filled into commander's. */
export interface Definition {
  readonly name: string;
  readonly summary: string;
  readonly fill: (command: Command, wiring: Wiring) => void;
  /** What it takes; a group takes nothing itself. */
  readonly arguments: Params;
  readonly options: Params;
  readonly target: Target;
  readonly formats: readonly Format[];
  /** The verbs of a group, and the one that runs when none is typed. */
  readonly commands: readonly Definition[];
  readonly fallback?: Definition;
}

type Typed = string | true | readonly string[] | undefined;

export function defineCommand<A extends Params, O extends Params>(spec: CommandSpec<A, O>): Definition {
  return {
    name: spec.name,
    summary: spec.summary,
    arguments: spec.arguments,
    options: spec.options,
    target: spec.target ?? "storage",
    formats: spec.formats ?? FORMATS,
    commands: [],
    fill(command, wiring) {
      command.description(spec.description ?? spec.summary);
      const names = Object.values(spec.arguments).map((param) => {
        const name = nameOf(param);
        return param.missing === undefined ? name : `[${name}]`;
      });
      command.usage(["[options]", ...names].join(" "));
      // Optional for commander: what is missing is asked for on a terminal.
      for (const param of Object.values(spec.arguments)) command.argument(`[${nameOf(param)}]`, param.about);
      for (const [key, param] of Object.entries(spec.options)) {
        const about =
          param.value !== undefined && param.missing === undefined ? `${param.about} (required)` : param.about;
        const flag = param.value === undefined ? flagOf(key) : `${flagOf(key)} <${param.value}>`;
        if (param.readAll === undefined) command.option(flag, about);
        else command.option(flag, about, (typed: string, before?: readonly string[]) => [...(before ?? []), typed]);
      }
      addExamples(command, spec.examples);
      command.action(async () => {
        const { invocation } = wiring;
        invocation.path = pathOf(command);
        invocation.fields = spec.fields ?? {};
        const opened = wiring.open();
        invocation.verbose = opened.globals.verbose;
        checkFormat(opened.globals.format, spec.formats);
        const context = { ...opened, ...(await findTarget(spec.target ?? "storage", opened, invocation.path)) };
        const typed = command.opts<Readonly<Record<string, Typed>>>();
        const given = new Map<string, Typed>();
        for (const [index, [key, param]] of placesOf(spec.arguments, command.args.length, context).entries()) {
          const words = command.args.slice(index);
          given.set(key, param.readAll === undefined ? words[0] : words.length > 0 ? words : undefined);
        }
        for (const key of Object.keys(spec.options)) given.set(key, typed[key]);
        const label = (key: string): string => spec.arguments[key]?.value ?? flagOf(key);
        const values = await readValues({ ...spec.arguments, ...spec.options }, given, label, context);
        await spec.run(values as Values<A> & Values<O>, context);
      });
    },
  };
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

/** The arguments that were typed, in order. On a daemon the user may be left out before others. */
function placesOf(params: Params, typed: number, { daemon }: Context): [string, Param<unknown>][] {
  const places = Object.entries(params);
  const spare = daemon !== undefined && typed === places.length - 1;
  return spare ? places.filter(([, { holds }]) => holds !== "user") : places;
}

/** Reads what was typed; asks for what is missing. Tells every fault, not only the first. */
async function readValues(
  params: Params,
  given: ReadonlyMap<string, Typed>,
  label: (key: string) => string,
  context: Context,
): Promise<Record<string, unknown>> {
  const { terminal, daemon } = context;
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  const absent: [string, Param<unknown>][] = [];
  for (const [key, param] of Object.entries(params)) {
    const typed = given.get(key);
    if (typed === undefined) {
      if (param.missing !== undefined) values[key] = param.missing();
      else if (param.holds !== "user" || daemon === undefined) absent.push([key, param]);
      continue;
    }
    try {
      values[key] = isList(typed) ? param.readAll!(typed) : param.read(typed === true ? "" : typed);
      await checkChoice(param, typed);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      faults.push(`${label(key)} ${asSentence(error.message)}`);
    }
  }
  if (!terminal.canPrompt) faults.push(...absent.map(([key, { about }]) => `${label(key)} is missing: ${about}.`));
  if (faults.length > 0) throw new UsageError(faults);
  if (absent.length > 0) {
    const { askFor } = await import("../terminal/prompt.ts");
    for (const [key, param] of absent) values[key] = param.read(await askFor(param, context));
  }
  return values;
}

async function checkChoice({ choices }: Param<unknown>, typed: NonNullable<Typed>): Promise<void> {
  if (choices === undefined) return;
  const words = await choices();
  for (const word of isList(typed) ? typed : [typed]) {
    if (word !== true && !words.includes(word)) throw notAmong(words, word);
  }
}

async function findTarget(target: Target, { globals, env }: Context, path: string): Promise<{ daemon?: DaemonTarget }> {
  if (target === "either") {
    const daemon = await findDaemon(globals, env);
    return daemon === undefined ? {} : { daemon };
  }
  const flag = (["url", "profile", "token"] as const).find((name) => globals[name] !== undefined);
  if (target === "storage" && flag !== undefined) {
    throw new UsageError(`${path} works on the storage itself: give --storage instead of --${flag}.`);
  }
  return {};
}

function checkFormat(format: Format | undefined, formats: readonly Format[] | undefined): void {
  if (format === undefined || formats === undefined || formats.includes(format)) return;
  throw new UsageError(`--format must be ${formats.join(" or ")} here, not ${format}.`);
}

function isList(typed: Typed): typed is readonly string[] {
  return Array.isArray(typed);
}

/** How an argument is called; one that takes all words that are left has dots. */
function nameOf(param: Param<unknown>): string {
  return param.readAll === undefined ? param.value! : `${param.value!}...`;
}

/** The flag of an option's name in camel case, as `--page-size`. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
