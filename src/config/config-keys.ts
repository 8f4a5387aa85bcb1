import { z } from "zod";

/** One key of a configuration that holds a value, a list or a map. */
export interface ConfigKey {
  /** Its sections and name: `["server", "port"]`. */
  readonly path: readonly string[];
  /** As people write it: `server.port`. */
  readonly name: string;
  /** The environment variable that sets it; absent for what one line of text cannot hold. */
  readonly variable?: string;
  /** What it holds, without default and optionality. */
  readonly schema: z.ZodType;
  /** What it means. */
  readonly description: string;
  /** The value without any setting; undefined when there is none. */
  readonly fallback: unknown;
  /** A value that no configuration file may hold and nothing prints. */
  readonly secret: boolean;
}

/** What a schema says of itself (zod's `meta`). */
interface Told {
  readonly description: string;
  readonly secret: boolean;
}

/** Every key of the schema that is no section, in the schema's order. */
export function configKeys(schema: z.ZodType, path: readonly string[] = []): ConfigKey[] {
  const { inner, fallback, told } = look(schema);
  if (inner instanceof z.ZodObject) {
    return Object.entries(inner.shape).flatMap(([name, field]) => configKeys(field as z.ZodType, [...path, name]));
  }
  const single = !(inner instanceof z.ZodRecord) && !(inner instanceof z.ZodArray && !isText(inner.element));
  return [
    {
      path,
      name: path.join("."),
      ...(single ? { variable: `ANP_${path.join("_").toUpperCase()}` } : {}),
      schema: inner,
      ...told,
      fallback,
    },
  ];
}

/** The sections below a schema, its own description first, by their dotted name. */
export function configSections(
  schema: z.ZodType,
  path: readonly string[] = [],
): Map<string, { readonly description: string; readonly optional: boolean }> {
  const { inner, told, optional } = look(schema);
  const found = new Map<string, { description: string; optional: boolean }>();
  if (!(inner instanceof z.ZodObject)) return found;
  if (path.length > 0) found.set(path.join("."), { description: told.description, optional });
  for (const [name, field] of Object.entries(inner.shape)) {
    for (const entry of configSections(field as z.ZodType, [...path, name])) found.set(...entry);
  }
  return found;
}

/** The names that may stand at a path of a configuration, through lists and maps too. */
export function namesAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let { inner } = look(schema);
  for (const name of path) {
    if (inner instanceof z.ZodObject) inner = look(inner.shape[String(name)] as z.ZodType).inner;
    else if (inner instanceof z.ZodArray) inner = look(inner.element as z.ZodType).inner;
    else if (inner instanceof z.ZodRecord) inner = look(inner.valueType as z.ZodType).inner;
  }
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

/** What a key must hold, in words: `an integer from 0 to 65535`. Undefined where only the schema's own rules can tell. */
export function expectationOf(schema: z.ZodType): string | undefined {
  if (schema instanceof z.ZodBoolean) return "true or false";
  if (schema instanceof z.ZodEnum) return listed(schema.options.map(String));
  if (schema instanceof z.ZodNumber) {
    const { minValue, maxValue } = schema;
    const noun = schema.format === "safeint" ? "an integer" : "a number";
    const least = minValue === null || minValue <= -Number.MAX_SAFE_INTEGER ? undefined : minValue;
    const most = maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? undefined : maxValue;
    // zod keeps no mark on the number itself of a bound that is not part of it.
    const open = z.toJSONSchema(schema).exclusiveMinimum !== undefined;
    if (open) return `${noun} greater than ${least ?? 0}${most === undefined ? "" : `, at most ${most}`}`;
    if (least !== undefined && most !== undefined) return `${noun} from ${least} to ${most}`;
    if (least !== undefined) return `${noun} of ${least} or more`;
    return most === undefined ? noun : `${noun} of at most ${most}`;
  }
  return undefined;
}

/** The value of a key in the environment, as far as its kind can be read from text. */
export function valueFromText(text: string, schema: z.ZodType): unknown {
  if (schema instanceof z.ZodNumber) return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
  if (schema instanceof z.ZodBoolean) return text === "true" ? true : text === "false" ? false : text;
  if (schema instanceof z.ZodArray) {
    return text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  }
  return text;
}

/** The schema within its wrappers, and what they and it say. */
function look(schema: z.ZodType): { inner: z.ZodType; fallback: unknown; optional: boolean; told: Told } {
  let inner = schema;
  let fallback: unknown;
  let optional = false;
  let description: string | undefined;
  let secret = false;
  for (;;) {
    const meta = inner.meta();
    description ??= meta?.description;
    secret ||= meta?.["secret"] === true;
    if (inner instanceof z.ZodDefault) fallback = inner.def.defaultValue;
    else if (inner instanceof z.ZodOptional) optional = true;
    else if (!(inner instanceof z.ZodPrefault)) break;
    inner = inner.unwrap() as z.ZodType;
  }
  return { inner, fallback, optional, told: { description: description ?? "", secret } };
}

function isText(schema: unknown): boolean {
  return schema instanceof z.ZodType && schema.def.type === "string";
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
