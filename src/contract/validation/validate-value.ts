import { z } from "zod";
import { didYouMean } from "../../runtime/text/edit-distance.ts";
import FORMATS from "./format-words.json" with { type: "json" };
import { describeSchema, knownKeys } from "./schema-walk.ts";
import { describeGiven, describeType, notOneOfMessage } from "../../runtime/text/describe-value.ts";

/** A path into a value: names of fields and indexes of elements. */
export type ValuePath = readonly (string | number)[];

/** One field of a value that does not match its schema. */
export interface InvalidField {
  readonly path: ValuePath;
  readonly message: string; // Follows the field's name: "must be an integer from 1 to 20, not 21".
  readonly hint?: string; // A sentence that helps to correct it: "Did you mean limit?"
  readonly of?: "key" | "value"; // Whether the key itself is wrong, or its value (the default).
}

type Validation<T> = Readonly<{ valid: true; data: T } | { valid: false; errors: readonly InvalidField[] }>;
type How = Pick<z.core.ParseContext, "jitless">;

/** Parses a value by a schema. Requests, configurations, smoke files and stored values are all validated here, so that
 * an error reads the same wherever it is found.
 * @param context `jitless` for a large schema that a process uses once: compiling it takes longer */
export function validate<T extends z.ZodType>(schema: T, value: unknown, context?: How): Validation<z.output<T>> {
  const parsed = schema.safeParse(value, context);
  if (parsed.success) return { valid: true, data: parsed.data };
  // Parsed again only for the messages: most values are valid, and zod is faster without an error map.
  const { issues } = schema.safeParse(value, { error: errorMap }).error ?? parsed.error;
  const errors = issues.flatMap((issue) => fieldsOf(issue, schema)); // An integer past 2^53 breaks two rules of zod.
  return { valid: false, errors: Array.from(new Map(errors.map((error) => [printField(error), error])).values()) };
}

/** A field error in one line: `limit: must be an integer from 1 to 20, not 21`.
 * @param whole what the value as a whole is called, for errors without a path */
export const printField = ({ path, message, hint }: InvalidField, whole = "value"): string =>
  `${path.join(".") || whole}: ${message}${hint === undefined ? "" : `. ${hint}`}`;

const LISTED_KEYS = 12; // Longest list of known keys that a hint shows.

/** The field errors of an issue: zod reports the unknown keys of one object together. */
function fieldsOf(issue: z.core.$ZodIssue, schema: z.ZodType): InvalidField[] {
  const path = issue.path as ValuePath;
  if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
  const known = knownKeys(schema, path);
  return issue.keys.map((key) => {
    const hint = hintFor(key, known);
    return { path: [...path, key], of: "key", message: "is not a known key", ...(hint !== "" && { hint }) };
  });
}

/** Names the key that was probably meant, or else all known keys. */
export function hintFor(key: string, known: readonly string[]): string {
  const meant = didYouMean(key, known).trim();
  return meant !== "" || known.length === 0 || known.length > LISTED_KEYS ? meant : `Known keys: ${known.join(", ")}`;
}

/** The message of an issue whose schema has none. A given text is not repeated: it may be a question or a secret. */
const errorMap: z.core.$ZodErrorMap = (issue) => {
  const { schema, input } = issue;
  const expected = schema === undefined ? undefined : describeSchema(schema);
  if (issue.code === "invalid_key") return issue.issues[0]?.message;
  if (input === undefined) return "is required";
  if (typeof input === "number" && !Number.isFinite(input)) return "must be a finite number";
  if (schema instanceof z.ZodEnum) return notOneOfMessage(schema.options.map(String), input);
  if (schema instanceof z.ZodNumber || schema instanceof z.ZodBoolean || schema instanceof z.ZodLiteral) {
    const isLargest = issue.code === "too_big" && "maxValue" in schema && schema.maxValue === Number.MAX_SAFE_INTEGER;
    return isLargest ? `must be at most ${issue.maximum}` : `must be ${expected}, not ${describeGiven(input)}`;
  }
  if (issue.code === "too_small" && issue.minimum === 1) return "must not be empty";
  const unit = "origin" in issue && issue.origin === "string" ? "characters" : "elements";
  if (issue.code === "too_small") return `must have at least ${issue.minimum} ${unit}`;
  if (issue.code === "too_big") return `must have at most ${issue.maximum} ${unit}`;
  if (issue.code === "invalid_format") return (FORMATS as Readonly<Record<string, string>>)[issue.format];
  return expected === undefined ? undefined : `must be ${expected}, not ${describeType(input)}`;
};
