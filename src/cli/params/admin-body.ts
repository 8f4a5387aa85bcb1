import { invalid, type FieldError } from "../../contract/errors.ts";
import { operatorFlags } from "../framework/confirm.ts";
import { flagOf, type CommandParams, type Param } from "./param.ts";
import { readValue } from "./read-values.ts";

/** The params of a command in the JSON body of an admin call. */

/** The params of a command by their body field, as `page_size`, except those of local use: files and the actor. */
export function remoteParams(command: CommandParams) {
  const all = Object.entries({ ...command.arguments, ...command.options });
  const remote = all.filter(([, param]) => param.holds !== "file" && param.isLocal !== true && !isActor(param));
  const named = remote.map(([key, param]) => ({ key, param, field: flagOf(key).slice(2).replaceAll("-", "_") }));
  return new Map(named.map((one) => [one.field, one]));
}

const isActor = ({ missing }: Param<unknown>): boolean => missing === operatorFlags.actor.missing;

/** Converts a body to command line arguments, and to the values for the audit log: of free text only the length.
 * @throws AnpError 422 that names every field that is unknown, missing or not valid */
export async function readBody(command: CommandParams, body: Readonly<Record<string, unknown>>, actor: string) {
  const params = remoteParams(command);
  const fieldErrors: FieldError[] = [];
  const flags = Object.values(command.options).some(isActor) ? [`--actor=${actor}`] : [];
  const words: string[] = [];
  const recorded: Record<string, string | string[] | true> = {};
  for (const field of new Set([...params.keys(), ...Object.keys(body)])) {
    try {
      const found = params.get(field);
      if (found === undefined) throw new RangeError("is not a known field");
      const { key, param } = found;
      const texts = textsOf(param, body[field]);
      if (texts === undefined) continue;
      await readValue(param, param.readAll === undefined ? texts[0]! : texts);
      const flag = param.value === undefined ? () => flagOf(key) : (text: string) => `${flagOf(key)}=${text}`;
      if (Object.hasOwn(command.arguments, key)) words.push(...texts);
      else flags.push(...texts.map(flag));
      const shown = texts.map((text) => (mayLog(param, text) ? text : `(${text.length} characters)`));
      recorded[field] = param.value === undefined || (param.readAll === undefined ? shown[0]! : shown);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      fieldErrors.push({ in: "body", path: field, message: error.message });
    }
  }
  if (fieldErrors.length > 0) throw invalid(fieldErrors);
  return { args: [...flags, "--", ...words], recorded };
}

const mayLog = ({ read: { free }, choices }: Param<unknown>, text: string): boolean =>
  free === undefined || choices !== undefined || (free !== true && /^[\w.-]{1,16}$/.test(text));

/** A body value as typed on a command line; undefined if it is left out. @throws RangeError */
function textsOf({ value, missing, readAll }: Param<unknown>, given: unknown): string[] | undefined {
  if (given === undefined && missing === undefined) throw new RangeError("is required");
  if (given === undefined || (value === undefined && given === false)) return undefined;
  const all: unknown[] = readAll === undefined ? [given] : Array.isArray(given) ? given : [undefined];
  const types = value === undefined ? ["boolean"] : ["string", "number"];
  if (all.every((one) => types.includes(typeof one))) return all.map(String);
  throw new RangeError(`must be ${readAll === undefined ? "a" : "an array of"} ${types.join(" or ")}`);
}
