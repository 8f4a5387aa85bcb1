import { z } from "zod";
import type { Endpoint } from "../contract/endpoints.ts";
import { AnpError, invalid, type FieldError } from "../contract/errors.ts";
import { LIMITS } from "../contract/limits.ts";

const REQUEST_ID = /^[\w-]{1,128}$/;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

/**
 * HEAD is allowed wherever GET is (RFC 9110 §9.1): load balancers use it.
 *
 * @throws AnpError 405 for another method
 */
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

/**
 * Query parameters, converted to numbers where the endpoint's schema has numbers. A repeated key is added to the field
 * errors.
 */
export function readQuery(endpoint: Endpoint, search: string, fieldErrors: FieldError[]): Record<string, unknown> {
  const { query } = endpoint;
  if (query === undefined || search === "") return {};
  const raw: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    if (Object.hasOwn(raw, name)) fieldErrors.push({ in: "query", path: name, message: "must be given once" });
    raw[name] = isNumeric(query.shape[name]) && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  }
  return raw;
}

function isNumeric(schema: unknown): boolean {
  return schema instanceof z.ZodDefault ? isNumeric(schema.unwrap()) : schema instanceof z.ZodNumber;
}

/**
 * The JSON body of a request.
 *
 * @throws AnpError 415 for another content type, 413 past the bound, 422 for a body that is incomplete or not JSON
 */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new AnpError(415);
  const bytes = await readBytes(request, limit);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid([{ in: "body", path: "", message: "must be UTF-8" }]);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalid([{ in: "body", path: "", message: `must be JSON: ${(error as SyntaxError).message}` }]);
  }
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > limit) throw tooLarge(limit);
  try {
    return length === null ? await readChunks(request, limit) : new Uint8Array(await request.arrayBuffer());
  } catch (error) {
    if (error instanceof AnpError) throw error;
    throw invalid([{ in: "body", path: "", message: "ended before it was complete" }]);
  }
}

async function readChunks(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  // No `for await`: leaving it early cancels the stream, which closes the socket before the response is sent.
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(next.value);
  }
  return Buffer.concat(chunks);
}

function tooLarge(limit: number): AnpError {
  return new AnpError(413, `The body is larger than ${limit} bytes.`, { headers: { connection: "close" } });
}
