import type { Command } from "commander";
import type { Context } from "../framework/command-context.ts";
import { UsageError } from "../framework/command-failure.ts";
import { flagOf, type CommandParams, type Param, asSentence } from "./param.ts";
import { notOneOfMessage } from "../../runtime/text/describe-value.ts";

/** What was typed for a param: a flag without a value is true. */
export type RawValue = string | true | readonly string[];

/** Reads the values of a command; on a terminal, asks for missing ones. @returns the values, and the typed texts
 * @throws UsageError that names every argument and flag that is missing or not valid, not only the first */
export async function readValues(spec: CommandParams, command: Command, context: Context) {
  const { terminal, daemon } = context;
  const typed = typedValues(spec, command, daemon !== undefined);
  const label = (key: string): string => spec.arguments[key]?.value ?? flagOf(key);
  const values: Record<string, unknown> = {};
  const errors: string[] = [];
  const absent: [string, Param<unknown>][] = [];
  for (const [key, param] of Object.entries({ ...spec.arguments, ...spec.options })) {
    const value = typed.get(key);
    if (value !== undefined) {
      try {
        values[key] = await readValue(param, value);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        errors.push(`${label(key)} ${asSentence(error.message)}`);
      }
    } else if (context.operatorOf !== undefined && param.operatorsNeed !== undefined)
      errors.push(`${label(key)} is missing: ${param.operatorsNeed}.`);
    else if (param.missing !== undefined) values[key] = param.missing();
    else if (param.holds !== "user" || daemon === undefined) absent.push([key, param]);
  }
  const takesMore = Object.values(spec.arguments).at(-1)?.readAll !== undefined;
  const extra = takesMore ? undefined : command.args[Object.keys(spec.arguments).length];
  const flag = absent.find(([key]) => key in spec.options)?.[0];
  const named = flag === undefined ? "" : ` Give it by its name: ${flagOf(flag)} ${extra}.`;
  const early = ` Words after -- are arguments: put ${extra} before it.`;
  if (extra !== undefined) errors.push(`too many arguments: ${extra}.${extra.startsWith("--") ? early : named}`);
  if (!terminal.canPrompt) errors.push(...absent.map(([key, { about }]) => `${label(key)} is missing: ${about}.`));
  if (errors.length > 0) throw new UsageError(errors);
  for (const [key, param] of absent) {
    const { askFor } = await import("../terminal/prompt.ts");
    const answer = await askFor({ ...param, value: spec.arguments[key]?.value ?? flagOf(key).slice(2) }, context);
    typed.set(key, answer);
    values[key] = param.read(answer);
  }
  return { values, typed };
}

/** What was typed, by the names of the params. On a daemon the user may be left out before other arguments. */
function typedValues(spec: CommandParams, command: Command, onDaemon: boolean): Map<string, RawValue> {
  const { args } = command;
  const typed = new Map<string, RawValue>();
  const all = Object.entries(spec.arguments);
  const withoutUser = onDaemon && args.length === all.length - 1;
  const places = withoutUser ? all.filter(([, { holds }]) => holds !== "user") : all;
  for (const [index, [key, { readAll }]] of places.entries())
    if (index < args.length) typed.set(key, readAll === undefined ? args[index]! : args.slice(index));
  for (const [key, value] of Object.entries(command.opts<Readonly<Record<string, RawValue>>>())) typed.set(key, value);
  return typed;
}

/** @throws RangeError whose message continues after the param's name */
export async function readValue(param: Param<unknown>, typed: RawValue): Promise<unknown> {
  const words = typeof typed === "string" ? [typed] : typed === true ? [""] : typed;
  const value = param.readAll === undefined ? param.read(words[0]!) : param.readAll(words);
  if (param.choices !== undefined) {
    const choices = await param.choices();
    const wrong = words.find((word) => !choices.includes(word));
    if (wrong !== undefined) throw new RangeError(notOneOfMessage(choices, wrong));
  }
  return value;
}
