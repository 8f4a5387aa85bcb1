import { codesOf, endpointAt, type Endpoint } from "../endpoints.ts";
import { errorEnvelope, errorEnvelopeOf, successEnvelope } from "../envelope.ts";
import { ERRORS, type ErrorCode, type FieldError } from "../errors.ts";
import { responseHeaders, type ResponseHeader } from "../openapi/openapi-document.ts";
import { validate, type InvalidField } from "./validate-value.ts";

/** A response of a daemon, with the request that it belongs to. */
export interface CheckedResponse {
  readonly method: string;
  readonly path: string; // Without the query.
  readonly sent: Readonly<Record<string, string>>; // The request's headers, names in lower case.
  readonly status: number;
  readonly headers: Pick<Headers, "get">;
  readonly body: unknown; // Parsed JSON; undefined for a body that is not JSON.
}

type Deviation = Pick<FieldError, "path" | "message">; // `path` as `data.items.0.delta`, or `headers.x-request-id`.

/** Checks a response of the API: the status is one of the operation's, the envelope agrees with it, `data` has every
 * field of the contract and no other, and the headers are present. A page outside of /api/ has no contract. */
export function validateResponse(response: CheckedResponse): Deviation[] {
  if (!response.path.startsWith("/api/")) return [];
  const endpoint = endpointAt(response.path);
  return [...checkContentType(response), ...checkBody(response, endpoint), ...checkHeaders(response, endpoint)];
}

function checkBody({ method, status, body }: CheckedResponse, endpoint: Endpoint | undefined): Deviation[] {
  if (status === 304) {
    if (endpoint?.max_age_s !== undefined) return body === undefined ? [] : [{ path: "body", message: "is not empty" }];
    return [{ path: "status", message: "is 304, which the operation does not have" }];
  }
  if (method === "HEAD") return []; // It is answered as the GET, without its body (RFC 9110 §9.3.2).
  if (typeof body !== "object" || body === null) return [{ path: "body", message: "is not a JSON object" }];
  return status === 200 ? checkSuccess(endpoint, body) : checkFailure(endpoint, status, body);
}

function checkContentType({ status, headers }: CheckedResponse): Deviation[] {
  const type = headers.get("content-type") ?? "";
  if (status === 304 || /^application\/json\b/i.test(type)) return [];
  return [{ path: "headers.content-type", message: `is ${type || "missing"}, not application/json` }];
}

function checkHeaders(response: CheckedResponse, endpoint: Endpoint | undefined): Deviation[] {
  const documented = responseHeaders(endpoint ?? {}, response.status);
  const names = new Set(["X-Request-Id", "X-Stability", "Idempotency-Replayed", ...Object.keys(documented)]);
  const found = [...names].flatMap((name) => {
    const header = name.toLowerCase();
    const message = checkHeader(response.headers.get(header), documented[name]);
    return message === undefined ? [] : { path: `headers.${header}`, message };
  });
  return [...found, ...checkRequestId(response)];
}

function checkHeader(value: string | null, header: ResponseHeader | undefined): string | undefined {
  if (header === undefined) return value === null ? undefined : `is ${value}, not absent`;
  const { required, schema } = header;
  const wanted = schema.const === undefined ? "" : `, not ${schema.const}`;
  if (value === null) return required ? `is missing${wanted}` : undefined;
  if (wanted !== "") return value === schema.const ? undefined : `is ${value}${wanted}`;
  return schema.type === "integer" && !/^[1-9]\d*$/.test(value) ? `is ${value}, not a number of seconds` : undefined;
}

/** The X-Request-Id equals the envelope's request_id, and echoes a well-formed one that was sent. */
function checkRequestId({ method, headers, body, sent }: CheckedResponse): Deviation[] {
  const path = "headers.x-request-id";
  const request_id = headers.get("x-request-id");
  if (request_id === null) return [];
  const inBody: unknown = method === "HEAD" ? request_id : Reflect.get(Object(body), "request_id");
  const isOther = typeof inBody === "string" && inBody !== request_id;
  const { "x-request-id": given = "" } = sent;
  const isLost = /^[\w-]{1,128}$/.test(given) && given !== request_id;
  return [
    ...(isOther ? [{ path, message: `is ${request_id}, but request_id is ${inBody}` }] : []),
    ...(isLost ? [{ path, message: `is ${request_id}, but ${given} was sent` }] : []),
  ];
}

function checkSuccess(endpoint: Endpoint | undefined, body: unknown): Deviation[] {
  if (endpoint === undefined) return [{ path: "status", message: "is 200, but the contract has no such endpoint" }];
  const checked = validate(successEnvelope(endpoint.data).strict(), body);
  if (!checked.valid) return checked.errors.map(deviationOf);
  return unknownFields(body, checked.data).map((path) => ({ path, message: UNKNOWN }));
}

function checkFailure(endpoint: Endpoint | undefined, status: number, body: object): Deviation[] {
  const codes: readonly ErrorCode[] = endpoint === undefined ? [404] : codesOf(endpoint);
  const given: unknown = Reflect.get(body, "code");
  const code = codes.find((one) => one === given);
  const checked = validate((code === undefined ? errorEnvelope : errorEnvelopeOf(code)).strict(), body);
  if (!checked.valid) return checked.errors.map(deviationOf);
  if (code === undefined)
    return [{ path: "code", message: `is ${String(given)}, not one of the operation's: ${codes.join(", ")}` }];
  const expected = ERRORS[code].status;
  if (expected === status) return [];
  return [{ path: "status", message: `is ${status}, but code ${code} goes with ${expected}` }];
}

const UNKNOWN = "is not a field of the contract";

function deviationOf({ path, message, of }: InvalidField): Deviation {
  return { path: path.join(".") || "body", message: of === "key" ? UNKNOWN : message };
}

function unknownFields(raw: unknown, parsed: unknown, path: readonly string[] = []): string[] {
  if (typeof raw !== "object" || raw === null) return [];
  return Object.entries(raw).flatMap(([key, value]) => {
    const [at, known] = [[...path, key], Object(parsed) as object];
    return Object.hasOwn(known, key) ? unknownFields(value, Reflect.get(known, key), at) : [at.join(".")];
  });
}
