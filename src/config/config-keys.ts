import { z } from "zod";
import { unwrapSchema } from "../contract/schema-walk.ts";

/** One key of a configuration that holds a value, a list or a map. */
export interface ConfigKey {
  /** `["server", "port"]` */
  readonly path: readonly string[];
  /** `server.port` */
  readonly name: string;
  /** The environment variable that sets it; absent for values that one line of text cannot hold. */
  readonly variable?: string;
  /** Its schema without the wrappers for default and optionality. */
  readonly schema: z.ZodType;
  readonly description: string;
  /** The default; undefined when there is none. */
  readonly fallback: unknown;
  /** Whether configuration files must not hold the value, and output must not show it. */
  readonly secret: boolean;
}

/** Every key of the schema that is not a section, in the schema's order. */
export function configKeys(schema: z.ZodType, path: readonly string[] = []): ConfigKey[] {
  const { inner, fallback, description, secret } = unwrapSchema(schema);
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
      description,
      secret,
      fallback,
    },
  ];
}

/** The sections below a schema by their dotted name, outer ones first. */
export function configSections(
  schema: z.ZodType,
  path: readonly string[] = [],
): Map<string, { readonly description: string; readonly optional: boolean }> {
  const { inner, description, optional } = unwrapSchema(schema);
  const found = new Map<string, { description: string; optional: boolean }>();
  if (!(inner instanceof z.ZodObject)) return found;
  if (path.length > 0) found.set(path.join("."), { description, optional });
  for (const [name, field] of Object.entries(inner.shape)) {
    for (const entry of configSections(field as z.ZodType, [...path, name])) found.set(...entry);
  }
  return found;
}

/** The value of an environment variable, converted to the type of its key. Text that cannot be converted is kept. */
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

function isText(schema: unknown): boolean {
  return schema instanceof z.ZodType && schema.def.type === "string";
}
