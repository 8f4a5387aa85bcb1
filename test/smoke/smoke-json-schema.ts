import { z } from "zod";
import { expectation, smokeFile } from "../../src/smoke/file/smoke-file.ts";
import { ARGUMENTS, isMatcherName, MATCHERS, type MatcherName } from "../../src/smoke/run/matchers.ts";
import TEXTS from "../../src/smoke/file/smoke-file.json" with { type: "json" };
import MATCHER_TEXTS from "../../src/smoke/run/matchers.json" with { type: "json" };

type Json = Record<string, unknown>;

const EXPECTATION = { $ref: "#/$defs/Expectation" };
/** A reference may replace any argument of a matcher. */
const REFERENCE = { type: "string", pattern: "\\$\\{" };

/** The JSON Schema (2020-12) of smoke files, for editors, as `smoke-file.schema.json` has to hold it. */
export function smokeFileSchema(): Json {
  const schema = z.toJSONSchema(smokeFile, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === expectation) Object.assign(jsonSchema, expectationSchema());
      // Strict validators refuse a format that they do not know; the pattern beside it says the same.
      if (jsonSchema.pattern !== undefined) delete jsonSchema.format;
    },
  });
  const { Step } = schema.$defs as { Step: { properties: { expect: Json } } };
  describe(schema, TEXTS.file);
  describe(Step, TEXTS.step);
  describe(Step.properties.expect, TEXTS.expect);
  return { $id: "urn:anp:smoke-file", ...schema };
}

function describe(schema: unknown, texts: Readonly<Record<string, string>>): void {
  const { properties } = schema as { properties: Record<string, Json> };
  for (const [key, description] of Object.entries(texts)) Object.assign(properties[key]!, { description });
}

function expectationSchema(): Json {
  const names = Object.keys(MATCHERS).filter(isMatcherName);
  return {
    description: "A value that is to be equal, a map of fields, a list, or a map of matchers",
    anyOf: [
      { type: ["string", "number", "boolean", "null"] },
      { type: "array", items: EXPECTATION },
      { type: "object", propertyNames: { pattern: "^[^$]" }, additionalProperties: EXPECTATION },
      {
        type: "object",
        minProperties: 1,
        properties: Object.fromEntries(names.map((name) => [name, argument(name)])),
        additionalProperties: false,
      },
    ],
  };
}

function argument(name: MatcherName): Json {
  const { about, example, takes }: { about: string; example: string; takes?: string } = MATCHER_TEXTS[name];
  const description = `${about}, as ${example}`;
  if (takes === "expectation") return { description, ...EXPECTATION };
  if (takes === "expectations") return { description, anyOf: [{ type: "array", items: EXPECTATION }, REFERENCE] };
  const schema = { ...z.toJSONSchema(ARGUMENTS[name]!, { io: "input", unrepresentable: "any" }), $schema: undefined };
  return { description, anyOf: [schema, REFERENCE] };
}
