import { FastResponse } from "srvx";
import { ERRORS, type AnpError, type ErrorKind } from "../contract/errors.ts";

const CONTENT_TYPE = "application/json; charset=utf-8";

/** Headers of every response, for browsers: no sniffing of the type, no scripts, no frames, no referrer. */
export const SAFE_HEADERS = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
} as const;

/** The detail of a 500. The log has the cause, under the request id. */
const INTERNAL_DETAIL = "The request could not be completed. Quote the request_id when you report it.";

/** Results that the service returns as the same frozen object again, serialized once. */
const serialized = new WeakMap<object, Buffer>();

const BEFORE_TEXT = '{"success":true,"code":0,"message":"ok","data":';
const BEFORE_DATA = Buffer.from(BEFORE_TEXT);

function bytesOf(data: object): Buffer {
  let bytes = serialized.get(data);
  if (bytes === undefined) {
    bytes = Buffer.from(JSON.stringify(data));
    serialized.set(data, bytes);
  }
  return bytes;
}

/** The envelope of a success. */
export function success(data: object, request_id: string, headers: Record<string, string> = {}): Response {
  const end = `,"request_id":"${request_id}"}`;
  const body = Object.isFrozen(data)
    ? Buffer.concat([BEFORE_DATA, bytesOf(data), Buffer.from(end)])
    : `${BEFORE_TEXT}${JSON.stringify(data)}${end}`;
  return new FastResponse(body, {
    headers: { "content-type": CONTENT_TYPE, "x-request-id": request_id, ...SAFE_HEADERS, ...headers },
  });
}

/** The envelope of a failure. */
export function failure(error: AnpError, request_id: string, headers: Record<string, string> = {}): Response {
  const { code, message, fieldErrors } = error;
  const body = {
    success: false,
    code,
    message,
    ...(fieldErrors.length > 0 ? { errors: fieldErrors } : {}),
    ...(code === 500 ? { detail: INTERNAL_DETAIL } : {}),
    request_id,
  };
  const { status, retry_after_s }: ErrorKind = ERRORS[code];
  return new FastResponse(JSON.stringify(body), {
    status,
    headers: {
      "content-type": CONTENT_TYPE,
      "x-request-id": request_id,
      ...SAFE_HEADERS,
      ...(retry_after_s === undefined ? {} : { "retry-after": String(retry_after_s) }),
      ...headers,
      ...error.headers,
    },
  });
}

/** A response without an envelope: a page of the daemon itself. */
export function page(
  body: string | Uint8Array<ArrayBuffer>,
  contentType: string,
  options: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const { status = 200, headers = {} } = options;
  return new FastResponse(body, { status, headers: { "content-type": contentType, ...SAFE_HEADERS, ...headers } });
}
