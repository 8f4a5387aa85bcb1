import type { z } from "zod";
import { ENDPOINTS, type Endpoint, type OperationId, type OperationInput } from "./endpoints.ts";
import { invalid, type FieldError } from "./errors.ts";

/** An operation's input before it was checked. */
export interface RawInput {
  readonly query?: unknown;
  readonly body?: unknown;
  /** Faults that were found on the way here, told together with those of the input. */
  readonly faults?: readonly FieldError[];
}

/**
 * Checks an operation's input against the contract and fills in the defaults.
 *
 * @throws AnpError 422 with every fault of query and body
 */
export function checkInput<K extends OperationId>(id: K, raw: RawInput): OperationInput<K> {
  const endpoint: Endpoint = ENDPOINTS[id];
  const faults: FieldError[] = [...(raw.faults ?? [])];
  const query = parsePart("query", endpoint.query, raw.query ?? {}, faults);
  const body = parsePart("body", endpoint.body, raw.body, faults);
  if (faults.length > 0) throw invalid(faults);
  return { query, body } as OperationInput<K>;
}

function parsePart(
  part: "query" | "body",
  schema: z.ZodObject | undefined,
  value: unknown,
  faults: FieldError[],
): unknown {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    faults.push({ in: part, path: issue.path.map(String).join("."), message: plainMessage(issue, value) });
  }
  return undefined;
}

/** zod's words, in plain ones where the bound or the type matters. */
export function plainMessage(issue: z.core.$ZodIssue, input: unknown): string {
  if (issue.code === "too_big") return `must be at most ${issue.maximum}`;
  if (issue.code === "too_small")
    return issue.inclusive === false ? issue.message : `must be at least ${issue.minimum}`;
  if (issue.code === "invalid_value") return `must be one of ${issue.values.map(String).join(", ")}`;
  if (issue.code !== "invalid_type") return issue.message;
  const found = issue.path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
  if (found === undefined) return "is required";
  if (typeof found === "number" && !Number.isFinite(found)) return "must be a finite number";
  return `must be ${TYPES[issue.expected] ?? `of type ${issue.expected}`}`;
}

/** How a type is called outside of zod. */
const TYPES: Readonly<Record<string, string>> = { int: "an integer", record: "of type object" };
