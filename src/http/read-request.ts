import { z } from "zod";
import type { Endpoint } from "../contract/endpoints.ts";
import { AnpError, type FieldError } from "../contract/errors.ts";
import { LIMITS } from "../contract/field-bounds.ts";

const REQUEST_ID = /^[\w-]{1,128}$/;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;

/** HEAD is allowed wherever GET is (RFC 9110 §9.1): load balancers use it. @throws AnpError 405 for another method */
export function allow(request: Pick<Request, "method">, method: string): void {
  const allowed = method === "GET" ? ["GET", "HEAD"] : [method];
  if (!allowed.includes(request.method)) throw new AnpError(405, undefined, { headers: { allow: allowed.join(", ") } });
}

/** The caller's request id if it is well-formed, else undefined. */
export function givenRequestId(headers: Pick<Headers, "get">): string | undefined {
  const given = headers.get("x-request-id");
  return given !== null && REQUEST_ID.test(given) ? given : undefined;
}

/** The Idempotency-Key, if there is one; a malformed one is added to the field errors. */
export function idempotencyKey(headers: Pick<Headers, "get">, fieldErrors: FieldError[]): string | undefined {
  const given = headers.get("idempotency-key");
  if (given === null) return undefined;
  if (IDEMPOTENCY_KEY.test(given)) return given;
  const message = `must be 1 to ${LIMITS.idempotencyKey} printable ASCII characters without spaces`;
  fieldErrors.push({ in: "header", path: "Idempotency-Key", message });
  return undefined;
}

/** The query parameters that the endpoint has. Numbers are written as JSON writes them: any other text, such as `05`,
 * stays one, and does not match the schema. A repeated parameter is added to the field errors. */
export function readQuery(endpoint: Endpoint, search: string, fieldErrors: FieldError[]): Record<string, unknown> {
  const { query } = endpoint;
  if (query === undefined || search === "") return {};
  const raw: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    if (!Object.hasOwn(query.shape, name)) continue;
    if (Object.hasOwn(raw, name)) fieldErrors.push({ in: "query", path: name, message: "must be given once" });
    raw[name] = isNumeric(query.shape[name]) && NUMBER.test(value) ? Number(value) : value;
  }
  return raw;
}

const isNumeric = (schema: unknown): boolean =>
  schema instanceof z.ZodDefault ? isNumeric(schema.unwrap()) : schema instanceof z.ZodNumber;
