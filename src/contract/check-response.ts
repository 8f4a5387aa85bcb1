import type { z } from "zod";
import { codesOf, ENDPOINTS, type Endpoint, type OperationId } from "./endpoints.ts";
import { errorEnvelope, successEnvelope } from "./envelope.ts";
import { ERRORS, type ErrorCode, type ErrorKind } from "./errors.ts";

/** An answer of a daemon, and what it answers. */
export interface CheckedAnswer {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The request's headers, names in lower case. */
  readonly sent: Readonly<Record<string, string>>;
  readonly status: number;
  readonly headers: Pick<Headers, "get">;
  /** Parsed JSON; undefined for what is none. */
  readonly body: unknown;
}

/** Where an answer is not as the contract says. */
export interface Deviation {
  /** As `data.items.0.delta`, or `headers.x-request-id`. */
  readonly path: string;
  readonly message: string;
}

const BY_PATH = new Map<string, OperationId>(
  (Object.keys(ENDPOINTS) as OperationId[]).map((id) => [ENDPOINTS[id].path, id]),
);

/** Paths below which the contract knows every answer. */
const PREFIX = "/api/";

/** The operation that a path of the interface names, by any method. */
export function operationAt(path: string): OperationId | undefined {
  return BY_PATH.get(path);
}

/** The schema of a success's body. */
export function bodyOf(endpoint: Endpoint): z.ZodType {
  return successEnvelope(endpoint.data).strict();
}

/**
 * Checks an answer of the API: the status is one of the operation's, the envelope says the same, the data has every
 * field and no other, and the headers are there. A page outside of the API has no contract.
 */
export function checkAnswer(answer: CheckedAnswer): Deviation[] {
  const { path, method, status, headers, body } = answer;
  if (!path.startsWith(PREFIX)) return [];
  const id = operationAt(path);
  const endpoint: Endpoint | undefined = id === undefined ? undefined : ENDPOINTS[id];
  const deviations: Deviation[] = [];
  const deviate = (at: string, message: string): void => {
    deviations.push({ path: at, message });
  };
  const type = headers.get("content-type") ?? "";
  if (!/^application\/json\b/i.test(type))
    deviate("headers.content-type", `is ${type || "missing"}, not application/json`);
  // A HEAD is answered as the GET, without its body (RFC 9110 §9.3.2).
  const isBodiless = method === "HEAD";
  if (!isBodiless && (typeof body !== "object" || body === null)) deviate("body", "is no JSON object");
  else if (!isBodiless) {
    deviations.push(
      ...(status === 200 ? checkSuccess(endpoint, body) : checkFailure(endpoint, status, body as object)),
    );
  }
  checkHeaders();
  return deviations;

  function checkHeaders(): void {
    const request_id = headers.get("x-request-id");
    const told: unknown = isBodiless ? request_id : Reflect.get(Object(body), "request_id");
    const given = answer.sent["x-request-id"];
    if (request_id === null) deviate("headers.x-request-id", "is missing");
    else if (typeof told === "string" && told !== request_id) {
      deviate("headers.x-request-id", `is ${request_id}, but request_id is ${told}`);
    }
    if (request_id !== null && given !== undefined && /^[\w-]{1,128}$/.test(given) && given !== request_id) {
      deviate("headers.x-request-id", `is ${request_id}, but ${given} was sent`);
    }
    const stability = headers.get("x-stability");
    const stable = endpoint?.stability === "experimental" ? "experimental" : null;
    if (stability !== stable) deviate("headers.x-stability", `is ${stability ?? "missing"}, not ${stable ?? "absent"}`);
    const replayed = headers.get("idempotency-replayed");
    if (replayed !== null && replayed !== "true") deviate("headers.idempotency-replayed", `is ${replayed}, not true`);
    if (status === 405 && headers.get("allow") === null) deviate("headers.allow", "is missing");
    const kind = Object.values(ERRORS).find((known: ErrorKind) => known.status === status) as ErrorKind | undefined;
    const retryAfter = headers.get("retry-after");
    if (kind?.retry_after_s !== undefined && !/^[1-9]\d*$/.test(retryAfter ?? "")) {
      deviate("headers.retry-after", retryAfter === null ? "is missing" : `is ${retryAfter}, not a number of seconds`);
    }
  }
}

function checkSuccess(endpoint: Endpoint | undefined, body: unknown): Deviation[] {
  if (endpoint === undefined) return [{ path: "status", message: "is 200, but the interface has no such endpoint" }];
  const parsed = bodyOf(endpoint).safeParse(body);
  if (!parsed.success) return parsed.error.issues.map(deviationOf);
  return unknownFields(body, parsed.data, "").map((path) => ({ path, message: "is no field of the contract" }));
}

function checkFailure(endpoint: Endpoint | undefined, status: number, body: object): Deviation[] {
  const parsed = errorEnvelope.strict().safeParse(body);
  if (!parsed.success) return parsed.error.issues.map(deviationOf);
  const { code, errors, detail } = parsed.data;
  const allowed: readonly number[] = endpoint === undefined ? [404] : codesOf(endpoint);
  if (!allowed.includes(code)) {
    return [
      { path: "code", message: `is ${code}, not one of the operation's: ${[...allowed].sort(byNumber).join(", ")}` },
    ];
  }
  const deviations: Deviation[] = [];
  const told = ERRORS[code as ErrorCode].status;
  if (told !== status) deviations.push({ path: "status", message: `is ${status}, but code ${code} goes with ${told}` });
  if (code === 422 && (errors ?? []).length === 0)
    deviations.push({ path: "errors", message: "is missing from a 422" });
  if (code === 500 && detail === undefined) deviations.push({ path: "detail", message: "is missing from a 500" });
  return deviations;
}

function deviationOf(issue: z.core.$ZodIssue): Deviation {
  const path = issue.path.map(String).join(".");
  if (issue.code !== "unrecognized_keys") return { path: path || "body", message: plain(issue.message) };
  return { path: [...issue.path.map(String), issue.keys[0]!].join("."), message: "is no field of the contract" };
}

/** zod's words as they go on after a path. */
function plain(message: string): string {
  return message
    .replace(/^Invalid input: expected /, "must be ")
    .replace(/, received undefined$/, ", but is missing")
    .replace(/, received /, ", not ");
}

/** Paths of what parsing left out: it knows no such field. */
function unknownFields(raw: unknown, parsed: unknown, path: string): string[] {
  if (Array.isArray(raw)) {
    return raw.flatMap((item, index) => unknownFields(item, Reflect.get(Object(parsed), index), `${path}.${index}`));
  }
  if (typeof raw !== "object" || raw === null) return [];
  return Object.entries(raw).flatMap(([key, value]) => {
    const at = path === "" ? key : `${path}.${key}`;
    return Object.hasOwn(Object(parsed) as object, key)
      ? unknownFields(value, Reflect.get(Object(parsed), key), at)
      : [at];
  });
}

function byNumber(a: number, b: number): number {
  return a - b;
}
