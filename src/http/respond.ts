import { FastResponse } from "srvx";
import { ERRORS, type AnpError } from "../contract/errors.ts";

const CONTENT_TYPE = "application/json; charset=utf-8";

/** What a 500 says: enough to ask for help, nothing of the inside. The log has the rest under the request id. */
const INTERNAL_DETAIL = "The request could not be completed. Quote the request_id when you report it.";

/** Bytes of results that the service gives as the same frozen object again; serialised once. */
const serialised = new WeakMap<object, Buffer>();

const BEFORE_TEXT = '{"success":true,"code":0,"message":"ok","data":';
const BEFORE_DATA = Buffer.from(BEFORE_TEXT);

function bytesOf(data: object): Buffer {
  let bytes = serialised.get(data);
  if (bytes === undefined) {
    bytes = Buffer.from(JSON.stringify(data));
    serialised.set(data, bytes);
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
    headers: { "content-type": CONTENT_TYPE, "x-request-id": request_id, ...headers },
  });
}

/** The envelope of a failure. */
export function failure(error: AnpError, request_id: string, headers: Record<string, string> = {}): Response {
  const { code, message, faults } = error;
  const body = {
    success: false,
    code,
    message,
    ...(faults.length > 0 ? { errors: faults } : {}),
    ...(code === 500 ? { detail: INTERNAL_DETAIL } : {}),
    request_id,
  };
  return new FastResponse(JSON.stringify(body), {
    status: ERRORS[code].status,
    headers: { "content-type": CONTENT_TYPE, "x-request-id": request_id, ...headers, ...error.headers },
  });
}
