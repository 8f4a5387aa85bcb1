import { z } from "zod";
import WORDS from "./type-words.json" with { type: "json" };

/** Removes the wrappers that `optional()`, `default()` and `prefault()` put around a schema, and returns what they add:
 * the default if there is one, the outermost description, and whether any is marked by `meta({ secret: true })`. */
export function unwrapSchema(schema: z.ZodType) {
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
  return { inner, fallback, optional, description: description ?? "", secret };
}

/** The schema of a value at a path, through arrays and records too; undefined if there is none. */
export function schemaAt(schema: z.ZodType | undefined, path: readonly PropertyKey[]): z.ZodType | undefined {
  const [name, ...rest] = path;
  if (schema === undefined || name === undefined) return schema;
  const { inner } = unwrapSchema(schema);
  if (inner instanceof z.ZodObject) return schemaAt(inner.shape[String(name)] as z.ZodType | undefined, rest);
  if (inner instanceof z.ZodArray) return schemaAt(inner.element as z.ZodType, rest);
  return inner instanceof z.ZodRecord ? schemaAt(inner.valueType as z.ZodType, rest) : undefined;
}

/** The keys that a schema knows at a path, through arrays and records too; empty if it has no fixed keys. */
export function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const at = schemaAt(schema, path);
  const inner = at && unwrapSchema(at).inner;
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

/** What a schema accepts, in words: `an integer from 0 to 65535`. Undefined for schemas with rules of their own. */
export function describeSchema(schema: z.core.$ZodType): string | undefined {
  if (schema instanceof z.ZodNumber) return describeRange(schema);
  if (schema instanceof z.ZodEnum) return `one of ${schema.options.join(", ")}`;
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((value) => JSON.stringify(value)).join(" or ");
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map(describeSchema);
    return options.includes(undefined) ? undefined : [...new Set(options)].join(" or ");
  }
  return (WORDS as Readonly<Record<string, string>>)[schema._zod.def.type];
}

/** The range of a number in words: `an integer from 1 to 20`, `a number greater than 0`, `an integer of at least 1`. */
function describeRange(schema: z.ZodNumber): string {
  const min = schema.minValue ?? -Infinity;
  const max = schema.maxValue ?? Infinity;
  const noun = schema.format === "safeint" ? "an integer" : "a number";
  const hasMax = max < Number.MAX_SAFE_INTEGER;
  if (min <= -Number.MAX_SAFE_INTEGER) return hasMax ? `${noun} of at most ${max}` : noun;
  // Only the JSON Schema says whether zod's minimum is exclusive.
  const isExclusive = z.toJSONSchema(schema).exclusiveMinimum !== undefined;
  if (isExclusive) return `${noun} greater than ${min}${hasMax ? ` and at most ${max}` : ""}`;
  return hasMax ? `${noun} from ${min} to ${max}` : `${noun} of at least ${min}`;
}
