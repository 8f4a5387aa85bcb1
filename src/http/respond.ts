import { createHash } from "node:crypto";
import { FastResponse } from "srvx";
import { ERRORS, type AnpError, type ErrorKind } from "../contract/errors.ts";
import HEADERS from "./safe-headers.json" with { type: "json" };

const CHALLENGE = 'UserToken realm="anp"'; // RFC 9110 §11.6.1. No browser knows the scheme, so none prompts.
const INTERNAL_DETAIL = "The request could not be completed. Quote the request_id when you report it.";
/** A serialized result; a large one also as a latin1 string of its UTF-8 bytes. */
type Serialized = { readonly text: string; readonly bytes: string | undefined; etag?: string };
const serialized = new WeakMap<object, Serialized>(); // A cache for frozen objects, which are reused.
const LARGE = 2048;
const BEFORE_DATA = '{"success":true,"code":0,"message":"ok","data":';

function serialize(data: object): Serialized {
  const known = serialized.get(data);
  if (known !== undefined) return known;
  const text = JSON.stringify(data);
  const isFrozen = Object.isFrozen(data);
  const made = { text, bytes: isFrozen && text.length > LARGE ? Buffer.from(text).toString("latin1") : undefined };
  if (isFrozen) serialized.set(data, made);
  return made;
}

/** A response whose parts can be sent directly: most are never read through the Fetch API. */
export class ReadyResponse extends FastResponse {
  readonly parts: Parts;

  constructor(parts: Parts) {
    super(parts.body, parts);
    this.parts = parts;
  }
}

class Parts {
  readonly body: string | null;
  readonly status: number;
  readonly list: string[]; // Names and values, one after the other.
  bytes: string | undefined; // The body as latin1, if known: Node appends it to the headers.

  constructor(body: string | null, status: number, request_id: string, headers: Readonly<Record<string, string>>) {
    this.body = body;
    this.status = status;
    this.list = body === null ? [...FIXED] : [...FIXED, "content-type", "application/json; charset=utf-8"];
    // A cache would store it with the body that another request got (RFC 9111 §3.2).
    if (status !== 304) this.list.push("x-request-id", request_id);
    for (const name in headers) this.list.push(name, headers[name]!);
  }

  get headers(): [string, string][] {
    return this.list.flatMap((name, at) => (at % 2 === 0 ? [[name, this.list[at + 1]!]] : []));
  }
}

/** Headers of every response, for browsers: no sniffing of the type, no scripts, no frames, no referrer. */
const FIXED = Object.entries(HEADERS).flat();

export function success(data: object, request_id: string, headers: Record<string, string> = {}): Response {
  const end = `,"request_id":"${request_id}"}`;
  const { text, bytes } = serialize(data);
  const parts = new Parts(BEFORE_DATA + text + end, 200, request_id, headers);
  if (bytes !== undefined) parts.bytes = BEFORE_DATA + bytes + end;
  return new ReadyResponse(parts);
}

type Reuse = { readonly max_age_s: number; readonly ifNoneMatch: string | null };

/** A success that may be cached for `max_age_s` seconds; a 304 if the caller has it already. */
export function reusableSuccess(data: object, request_id: string, how: Reuse, headers: Record<string, string>) {
  const { max_age_s, ifNoneMatch } = how;
  const found = serialize(data);
  const etag = (found.etag ??= `W/${entityTag(found.text)}`); // Weak, since each answer has its own request id.
  const reuse = { ...headers, etag, "cache-control": `max-age=${max_age_s}` };
  if (namesTag(ifNoneMatch, etag)) return new ReadyResponse(new Parts(null, 304, request_id, reuse));
  return success(data, request_id, reuse);
}

export function failure(error: AnpError, request_id: string, headers: Record<string, string> = {}): ReadyResponse {
  const { code, message, fieldErrors: errors } = error;
  const more = { ...(errors.length > 0 && { errors }), ...(code === 500 && { detail: INTERNAL_DETAIL }) };
  const body = { success: false, code, message, ...more, request_id };
  const { status, retry_after_s }: ErrorKind = ERRORS[code];
  const own = {
    ...(retry_after_s !== undefined && { "retry-after": String(retry_after_s) }),
    ...(code === 401 && { "www-authenticate": CHALLENGE }),
    ...headers,
    ...error.headers,
  };
  return new ReadyResponse(new Parts(JSON.stringify(body), status, request_id, own));
}

type PageBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
type PageOptions = { readonly status?: number; readonly headers?: Readonly<Record<string, string>> };

/** A response without an envelope: a page of the daemon itself. */
export const page = (body: PageBody, contentType: string, { status = 200, headers = {} }: PageOptions = {}): Response =>
  new FastResponse(body, { status, headers: { "content-type": contentType, ...HEADERS, ...headers } });

/** The quoted entity tag of a body or of its source (RFC 9110 §8.8.3). */
export const entityTag = (content: string | Uint8Array) =>
  `"${createHash("sha256").update(content).digest("base64url")}"`;

/** Whether an If-None-Match header names the tag. Tags are compared weakly (RFC 9110 §13.1.2). */
export function namesTag(header: string | null, tag: string): boolean {
  if (header === null) return false;
  const tags = header.split(",").map(withoutWeakness);
  return tags.includes("*") || tags.includes(withoutWeakness(tag));
}

const withoutWeakness = (tag: string): string => tag.trim().replace(/^W\//, "");
