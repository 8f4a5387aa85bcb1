import { z } from "zod";
import { expectation, smokeFile } from "./smoke-file.ts";
import { MATCHERS, type Matcher } from "../run/matchers.ts";

type Json = Record<string, unknown>;

const EXPECTATION = { $ref: "#/$defs/Expectation" };
/** A reference may replace any argument of a matcher. */
const REFERENCE = { type: "string", pattern: "\\$\\{" };

/** The JSON Schema (2020-12) of smoke files, for editors. */
export function smokeFileSchema(): Json {
  return z.toJSONSchema(smokeFile, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === expectation) Object.assign(jsonSchema, expectationSchema());
    },
  });
}

function expectationSchema(): Json {
  return {
    description: "A value that is to be equal, a map of fields, a list, or a map of matchers",
    anyOf: [
      { type: ["string", "number", "boolean", "null"] },
      { type: "array", items: EXPECTATION },
      { type: "object", propertyNames: { pattern: "^[^$]" }, additionalProperties: EXPECTATION },
      {
        type: "object",
        minProperties: 1,
        properties: Object.fromEntries(Object.entries(MATCHERS).map(([name, matcher]) => [name, argument(matcher)])),
        additionalProperties: false,
      },
    ],
  };
}

function argument({ about, example, argument: accepted }: Matcher): Json {
  const description = `${about}, as ${example}`;
  if (accepted.holds === "expectation") return { description, ...EXPECTATION };
  if (accepted.holds === "expectations")
    return { description, anyOf: [{ type: "array", items: EXPECTATION }, REFERENCE] };
  const schema = { ...z.toJSONSchema(accepted.schema, { io: "input", unrepresentable: "any" }), $schema: undefined };
  return { description, anyOf: [schema, REFERENCE] };
}
