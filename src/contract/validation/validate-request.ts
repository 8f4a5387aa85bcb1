import { ENDPOINTS, type Endpoint, type OperationId, type OperationInput } from "../endpoints.ts";
import { invalid, type FieldError } from "../errors.ts";
import { validate } from "./validate-value.ts";

/** An operation's input before validation. */
export interface RawInput {
  readonly query?: unknown;
  readonly body?: unknown;
  readonly fieldErrors?: readonly FieldError[]; // Found while the request was read, reported with those of the input.
}

/** Validates an operation's input against the contract and fills in the defaults.
 * @throws AnpError 422 with every field error of query and body */
export function validateRequest<K extends OperationId>(id: K, raw: RawInput): OperationInput<K> {
  const endpoint: Endpoint = ENDPOINTS[id];
  const fieldErrors: FieldError[] = [...(raw.fieldErrors ?? [])];

  function parse(part: "query" | "body", value: unknown): unknown {
    const schema = endpoint[part];
    const checked = schema && validate(schema, value);
    if (checked === undefined || checked.valid) return checked?.data;
    for (const { path, message } of checked.errors) fieldErrors.push({ in: part, path: path.join("."), message });
    return undefined;
  }

  const query = parse("query", raw.query ?? {});
  const body = parse("body", raw.body);
  if (fieldErrors.length > 0) throw invalid(fieldErrors);
  return { query, body } as OperationInput<K>;
}
