import { z } from "zod";
import type { Endpoint } from "../contract/endpoints.ts";
import { AnpError, type FieldError, invalid } from "../contract/errors.ts";
import { LIMITS } from "../contract/field-bounds.ts";
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { H3Event } from "h3";
import { parseOrError } from "../runtime/json/parse-json.ts";
import { readBytes } from "../runtime/read-bytes.ts";
import { withTimeout } from "../runtime/with-timeout.ts";

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;

/** HEAD is allowed wherever GET is (RFC 9110 §9.1): load balancers use it. @throws AnpError 405 for another method */
export function allow(request: Pick<Request, "method">, method: string): void {
  const allowed = method === "GET" ? ["GET", "HEAD"] : [method];
  if (!allowed.includes(request.method)) throw new AnpError(405, undefined, { headers: { allow: allowed.join(", ") } });
}

/** The caller's request id if it is well-formed, else undefined. */
export function givenRequestId(headers: Pick<Headers, "get">): string | undefined {
  const given = headers.get("x-request-id");
  return given !== null && /^[\w-]{1,128}$/.test(given) ? given : undefined;
}

/** The Idempotency-Key, if there is one; a malformed one is added to the field errors. */
export function idempotencyKey(headers: Pick<Headers, "get">, fieldErrors: FieldError[]): string | undefined {
  const given = headers.get("idempotency-key");
  if (given === null) return undefined;
  if (/^[\x21-\x7e]{1,128}$/.test(given)) return given;
  const message = `must be 1 to ${LIMITS.idempotencyKey} printable ASCII characters without spaces`;
  fieldErrors.push({ in: "header", path: "Idempotency-Key", message });
  return undefined;
}

/** The query parameters that the endpoint has. Numbers must be in JSON notation: any other text, such as `05`, stays a
 * string and does not match the schema. A repeated parameter is added to the field errors. */
export function readQuery({ query }: Endpoint, search: string, fieldErrors: FieldError[]): Record<string, unknown> {
  if (query === undefined || search === "") return {};
  const raw: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    if (!Object.hasOwn(query.shape, name)) continue;
    if (Object.hasOwn(raw, name)) fieldErrors.push({ in: "query", path: name, message: "must be given once" });
    raw[name] = isNumeric(query.shape[name]) && NUMBER.test(value) ? Number(value) : value;
  }
  if (search.includes("%")) checkEncoding(search, raw, fieldErrors);
  return raw;
}

/** Adds the parameters that are not percent-encoded UTF-8: URLSearchParams makes another text of them. */
function checkEncoding(search: string, raw: object, fieldErrors: FieldError[]): void {
  for (const pair of search.slice(1).split("&"))
    try {
      if (decodeURIComponent(pair) !== "") continue; // The bundler leaves out a call whose result is not used.
    } catch {
      const [path = ""] = new URLSearchParams(pair).keys();
      if (Object.hasOwn(raw, path)) fieldErrors.push({ in: "query", path, message: "must be percent-encoded UTF-8" });
    }
}

const isNumeric = (schema: unknown): boolean =>
  schema instanceof z.ZodDefault ? isNumeric(schema.unwrap()) : schema instanceof z.ZodNumber;

type BodyBounds = { readonly bytes: number; readonly ms: number }; // `ms`: from the headers to the last byte.

/** The JSON body of a request, and its text. @throws AnpError 415 for another content type, charset or coding, 413 and
 * 408 over the bounds, 422 for a body that is incomplete or not JSON */
export async function readJson(event: H3Event, bounds: BodyBounds): Promise<{ value: unknown; text: string }> {
  const { req } = event;
  const coding = req.headers.get("content-encoding") ?? "identity";
  if (coding.toLowerCase() !== "identity") throw new AnpError(415, undefined, UNCODED);
  const contentType = (req.headers.get("content-type") ?? "").toLowerCase().split(";");
  const [type, ...parameters] = contentType.map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith("charset=")) ?? "charset=utf-8";
  if (type !== "application/json" || !/^charset="?utf-?8"?$/.test(charset)) throw new AnpError(415);
  if (declaredBytes(req, 0) > bounds.bytes) throw tooLarge(bounds);
  const bytes = await readBody(event, bounds);
  if (!isUtf8(bytes)) throw invalid([{ in: "body", path: "", message: "must be UTF-8" }]);
  const text = new TextDecoder().decode(bytes);
  const value = parseOrError(text);
  if (!(value instanceof Error)) return { value, text };
  throw invalid([{ in: "body", path: "", message: `must be JSON: ${value.message}` }]);
}

/** The Content-Length of a request; `unknown` if it has none. */
export const declaredBytes = ({ headers }: Pick<Request, "headers">, unknown: number): number =>
  Number(headers.get("content-length") ?? unknown);

/** Reads a body from the socket, without the streams of the Fetch API, which would cost more than most requests. */
async function readBody({ req, runtime }: H3Event, bounds: BodyBounds): Promise<Uint8Array> {
  const { req: socket, res } = (runtime?.node ?? {}) as { req?: IncomingMessage; res?: ServerResponse };
  if (socket?.headers.expect !== undefined) res!.writeContinue(); // The caller waits for this (RFC 9110 §10.1.1).
  // The response closes the connection, so the request must not be destroyed before that.
  const body = socket === undefined ? req.body : socket.iterator({ destroyOnReturn: false });
  const read = readBytes(body, bounds.bytes, () => tooLarge(bounds)).catch((error: unknown) => {
    if (error instanceof AnpError) throw error;
    throw invalid([{ in: "body", path: "", message: "ended before it was complete" }]);
  });
  const tooLate = `The body did not arrive within ${bounds.ms / 1000} s.`;
  return withTimeout(read, bounds.ms, () => Promise.reject(new AnpError(408, tooLate, CLOSE)));
}

const UNCODED = { headers: { "accept-encoding": "identity" } }; // RFC 9110 §15.5.16.
const CLOSE = { headers: { connection: "close" } };
const tooLarge = ({ bytes }: BodyBounds) => new AnpError(413, `The body is larger than ${bytes} bytes.`, CLOSE);
