import type { Command } from "commander";
import { UsageError } from "./exit.ts";
import type { Format, Globals } from "./globals.ts";
import type { Param, Params, Values } from "./param.ts";
import type { Terminal } from "./terminal.ts";

/** What a command runs in. */
export interface Context {
  readonly terminal: Terminal;
  readonly globals: Globals;
  readonly env: Readonly<Record<string, string | undefined>>;
}

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
}

type Typed = Readonly<Record<string, string | true | undefined>>;

export function defineCommand<A extends Params, O extends Params>(spec: CommandSpec<A, O>): Definition {
  return {
    name: spec.name,
    summary: spec.summary,
    fill(command, wiring) {
      command.description(spec.description ?? spec.summary);
      const names = Object.values(spec.arguments).map((param) =>
        param.missing === undefined ? param.value! : `[${param.value!}]`,
      );
      command.usage(["[options]", ...names].join(" "));
      // Optional for commander: what is missing is asked for on a terminal.
      for (const param of Object.values(spec.arguments)) command.argument(`[${param.value!}]`, param.about);
      for (const [key, param] of Object.entries(spec.options)) {
        const about =
          param.value !== undefined && param.missing === undefined ? `${param.about} (required)` : param.about;
        command.option(param.value === undefined ? flagOf(key) : `${flagOf(key)} <${param.value}>`, about);
      }
      addExamples(command, spec.examples);
      command.action(async () => {
        const { invocation } = wiring;
        invocation.path = pathOf(command);
        invocation.fields = spec.fields ?? {};
        const context = wiring.open();
        invocation.verbose = context.globals.verbose;
        checkFormat(context.globals.format, spec.formats);
        const typed = command.opts<Typed>();
        const given = new Map<string, string | true | undefined>();
        for (const [index, key] of Object.keys(spec.arguments).entries()) given.set(key, command.args[index]);
        for (const key of Object.keys(spec.options)) given.set(key, typed[key]);
        const label = (key: string): string => spec.arguments[key]?.value ?? flagOf(key);
        const values = await readValues({ ...spec.arguments, ...spec.options }, given, label, context.terminal);
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
  return {
    name: spec.name,
    summary: spec.summary,
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

/** Reads what was typed; asks for what is missing. Tells every fault, not only the first. */
async function readValues(
  params: Params,
  given: ReadonlyMap<string, string | true | undefined>,
  label: (key: string) => string,
  terminal: Terminal,
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  const absent: [string, Param<unknown>][] = [];
  for (const [key, param] of Object.entries(params)) {
    const typed = given.get(key);
    if (typed === undefined) {
      if (param.missing === undefined) absent.push([key, param]);
      else values[key] = param.missing();
      continue;
    }
    try {
      values[key] = param.read(typed === true ? "" : typed);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      faults.push(`${label(key)} ${error.message}.`);
    }
  }
  if (!terminal.canPrompt) faults.push(...absent.map(([key, { about }]) => `${label(key)} is missing: ${about}.`));
  if (faults.length > 0) throw new UsageError(faults);
  if (absent.length > 0) {
    const { askFor } = await import("./prompt.ts");
    for (const [key, param] of absent) values[key] = param.read(await askFor(param));
  }
  return values;
}

function checkFormat(format: Format | undefined, formats: readonly Format[] | undefined): void {
  if (format === undefined || formats === undefined || formats.includes(format)) return;
  throw new UsageError(`--format must be ${formats.join(" or ")} here, not ${format}.`);
}

function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
