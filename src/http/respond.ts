import { FastResponse } from "srvx";
import { ERRORS, type AnpError } from "../contract/errors.ts";

const CONTENT_TYPE = "application/json; charset=utf-8";

/** What a 500 says: enough to ask for help, nothing of the inside. The log has the rest under the request id. */
const INTERNAL_DETAIL = "The request could not be completed. Quote the request_id when you report it.";

/** JSON of results that the service gives as the same object again; serialised once. */
const serialised = new WeakMap<object, string>();

function toJson(data: object): string {
  if (!Object.isFrozen(data)) return JSON.stringify(data);
  let text = serialised.get(data);
  if (text === undefined) {
    text = JSON.stringify(data);
    serialised.set(data, text);
  }
  return text;
}

/** The envelope of a success. */
export function success(data: object, request_id: string, headers: Record<string, string> = {}): Response {
  const body = `{"success":true,"code":0,"message":"ok","data":${toJson(data)},"request_id":"${request_id}"}`;
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
