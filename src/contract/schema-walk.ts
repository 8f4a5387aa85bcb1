import { z } from "zod";
import { describeRange } from "../runtime/describe-value.ts";

/** A schema without its wrappers, and what the wrappers add to it. */
export interface UnwrappedSchema {
  readonly inner: z.ZodType;
  /** The default; undefined when there is none. */
  readonly fallback: unknown;
  readonly optional: boolean;
  /** The outermost description, empty when there is none. */
  readonly description: string;
  /** Whether the schema or a wrapper is marked by `meta({ secret: true })`. */
  readonly secret: boolean;
}

/** Removes the wrappers that `optional()`, `default()` and `prefault()` put around a schema. */
export function unwrapSchema(schema: z.ZodType): UnwrappedSchema {
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

/** The keys that a schema knows at a path, through arrays and records too; empty where it has no fixed keys. */
export function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let { inner } = unwrapSchema(schema);
  for (const name of path) {
    if (inner instanceof z.ZodObject) inner = unwrapSchema(inner.shape[String(name)] as z.ZodType).inner;
    else if (inner instanceof z.ZodArray) inner = unwrapSchema(inner.element as z.ZodType).inner;
    else if (inner instanceof z.ZodRecord) inner = unwrapSchema(inner.valueType as z.ZodType).inner;
  }
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

/** What a schema accepts, in words: `an integer from 0 to 65535`. Undefined for schemas with rules of their own. */
export function describeSchema(schema: z.core.$ZodType): string | undefined {
  if (schema instanceof z.ZodNumber) return describeRange(rangeOf(schema));
  if (schema instanceof z.ZodBoolean) return "true or false";
  if (schema instanceof z.ZodEnum) return `one of ${schema.options.join(", ")}`;
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((value) => JSON.stringify(value)).join(" or ");
  if (schema instanceof z.ZodNull) return "null";
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return "a string";
  if (schema instanceof z.ZodArray) return "an array";
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return "an object";
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map(describeSchema);
    return options.includes(undefined) ? undefined : [...new Set(options)].join(" or ");
  }
  return undefined;
}

function rangeOf(schema: z.ZodNumber): Parameters<typeof describeRange>[0] {
  const { minValue, maxValue } = schema;
  return {
    integer: schema.format === "safeint",
    min: minValue === null || minValue <= -Number.MAX_SAFE_INTEGER ? undefined : minValue,
    max: maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? undefined : maxValue,
    // Only the JSON Schema says whether zod's minimum is exclusive.
    exclusiveMin: z.toJSONSchema(schema).exclusiveMinimum !== undefined,
  };
}
