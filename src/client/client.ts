import { setTimeout as delay } from "node:timers/promises";
import { validateRequest, type RawInput } from "../contract/validation/validate-request.ts";
import { ENDPOINTS, type Endpoint, type OperationId, type OperationData } from "../contract/endpoints.ts";
import { systemClock, type Clock } from "../runtime/clock.ts";
import { systemRandom } from "../runtime/random.ts";
import { readRetryAfter } from "../runtime/retry-after.ts";
import { RETRY_POLICY, TRANSIENT, waitBefore, type RetryPolicy } from "./client-retry.ts";
import { pageUrl, readUrl } from "./daemon-url.ts";
import { send, UnreachableError, WireError, type WireResponse } from "./transport.ts";
import { errorEnvelope, successEnvelope } from "../contract/envelope.ts";
import { AnpError, ERRORS, type ErrorCode, type FieldError } from "../contract/errors.ts";
import { parseJson } from "../runtime/json/parse-json.ts";
import { printField, validate, type InvalidField } from "../contract/validation/validate-value.ts";

/** Calls an operation of a daemon by its name.
 * @param key makes a repeat of the call safe, on endpoints that accept one; generated where none is given
 * @throws AnpError 422 before anything is sent, with every field error of the input
 * @throws RemoteRefusal, UnreachableError, ContractViolation */
export type Client = <K extends OperationId>(id: K, input?: RawInput, key?: string) => Promise<Success<K>>;

/** How a client reaches its daemon. */
export interface ClientSettings {
  readonly url: string; // The address of the daemon; a path in it is a prefix of the endpoints' paths.
  readonly token?: string | undefined; // The user's token; sent to the endpoints that read it.
  readonly retry?: RetryPolicy;
  readonly timeout_ms?: number; // How long one attempt may take, ms; depends on the operation when omitted.
  readonly clock?: Clock;
}

/** How long one attempt may take, ms. A chat may call the model more than once; a full refresh reads every source. */
const TIMEOUTS: Record<string, number> = { GET: 10_000, POST: 30_000, sendChat: 180_000, refreshNews: 900_000 };

/** A client of a daemon, typed by the contract: requests are validated before they are sent, responses when they arrive. It
 * retries, with exponential backoff and Retry-After, only what cannot take effect twice: reads, POSTs with an
 * Idempotency-Key, and requests that certainly did not arrive.
 * @throws RangeError for a URL that is not http or https, or a token that a header cannot carry
 * @example
 * const client = createClient({ url: "http://127.0.0.1:8787", token: "alice-token" });
 * const { data } = await client("getLedger", { query: { page_size: 5 } }); */
export function createClient(settings: ClientSettings): Client {
  const { token, retry = RETRY_POLICY, clock = systemClock } = settings;
  const base = readUrl(settings.url);
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new RangeError("must be printable ASCII without spaces");

  return async (id, input = {}, givenKey) => {
    validateRequest(id, input);
    const endpoint: Endpoint = ENDPOINTS[id];
    const { method } = endpoint;
    const key = endpoint.idempotent && (givenKey ?? `anp-${systemRandom.bytes(16).toString("hex")}`);
    const body = endpoint.body && JSON.stringify(input.body);
    const request = { method, url: urlOf(base, endpoint, input.query), headers: headersOf(endpoint, token, key), body };
    const timeout_ms = settings.timeout_ms ?? TIMEOUTS[id] ?? TIMEOUTS[method]!;
    for (let attempt = 1; ; attempt++) {
      let response: WireResponse | undefined;
      try {
        response = await send(request, timeout_ms);
        const success = readEnvelope(id, response, base.origin);
        // Under a generated key, the earlier call can only be an earlier attempt of this one.
        return { ...success, replayed: success.replayed && givenKey !== undefined };
      } catch (error) {
        const retryAfter_ms = readRetryAfter(response?.headers["retry-after"], clock.now());
        const again = mayRepeat(error, response, method === "GET" || key !== undefined);
        const wait = again ? waitBefore(attempt, retryAfter_ms, retry) : undefined;
        if (wait === undefined) throw error;
        await delay(wait);
      }
    }
  };
}

/** Whether a failed call is sent again: it may succeed then, and cannot take effect twice, as if a repeat `isSafe`. */
function mayRepeat(error: unknown, response: WireResponse | undefined, isSafe: boolean): boolean {
  if (response === undefined) return error instanceof WireError && (isSafe || !error.sent);
  // The service's own codes are final. A 429 comes before all else: the request certainly had no effect.
  const isFinal = error instanceof RemoteRefusal && error.code >= 1000;
  return TRANSIENT.has(response.status) && !isFinal && (isSafe || response.status === 429);
}

function urlOf(base: URL, { path }: Endpoint, query: unknown): string {
  const url = new URL(pageUrl(base, path));
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, string | number | undefined>))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

const headersOf = ({ auth, body }: Endpoint, token: string | undefined, key: string | undefined) => ({
  accept: "application/json",
  "user-agent": "anp",
  ...(auth !== "none" && token !== undefined && { "x-user-token": token }),
  ...(body !== undefined && { "content-type": "application/json" }),
  ...(key !== undefined && { "idempotency-key": key }),
});

/** A success of an operation, as received. */
export type Success<K extends OperationId> = ReturnType<typeof readEnvelope<K>>;

/** Checks every field against the contract, and keeps those that the contract does not know.
 * @returns with `replayed`, whether it is the result of an earlier call under the same idempotency key, and `pause_s`, the
 * seconds in which the rate limit takes no more requests, where this one used it up */
function readEnvelope<K extends OperationId>(id: K, response: WireResponse, origin: string) {
  const { status, headers, text } = response;
  const value = parseJson(text);
  if (!isEnvelope(value) || value.success === false) throw failureOf(id, response, origin);
  const checked = validate(successEnvelope(ENDPOINTS[id].data), value);
  if (!checked.valid || status !== 200) {
    const reason = checked.valid ? `the status is ${status}` : describe(checked.errors);
    throw new ContractViolation(`The response to ${id} violates the contract: ${reason}.`, headers["x-request-id"]);
  }
  // Not the parsed value: the order of the fields is the daemon's.
  const { data, request_id } = value as unknown as { data: OperationData<K>; request_id: string };
  const [, pause] = /;r=0;t=(\d+)$/.exec(headers["ratelimit"] ?? "") ?? [];
  const replayed = headers["idempotency-replayed"] === "true";
  return { data, request_id, replayed, ...(pause && { pause_s: Number(pause) }) };
}

const isEnvelope = (value: unknown): value is { readonly success: unknown } =>
  typeof value === "object" && value !== null && "success" in value;

/** The error of a response that is not a success: the daemon's own, or that of something else at the address. */
export function failureOf(id: string, response: WireResponse, origin: string): Error {
  const { status, headers, text } = response;
  const value = parseJson(text);
  if (!isEnvelope(value)) return noDaemon(response, origin);
  const violation = (reason: string, request_id = headers["x-request-id"]): Error =>
    new ContractViolation(`The error response to ${id} violates the contract: ${reason}.`, request_id);
  const checked = validate(errorEnvelope, value);
  if (!checked.valid) return violation(describe(checked.errors));
  const { code, message, request_id, errors: fieldErrors = [] } = checked.data;
  if (!Object.hasOwn(ERRORS, code)) return violation(`the code ${code} is unknown`);
  const known = code as ErrorCode;
  if (ERRORS[known].status !== status) return violation(`code ${code} came with the status ${status}`, request_id);
  const wait = headers["retry-after"];
  const kept: Record<string, string> = wait === undefined ? {} : { "retry-after": wait };
  return new RemoteRefusal(known, message, { fieldErrors, headers: kept, request_id });
}

function noDaemon({ status, headers }: WireResponse, origin: string): UnreachableError {
  const { location } = headers;
  if (status >= 300 && status < 400 && location !== undefined)
    return new UnreachableError(`${origin} redirects to ${location}; a token is not sent on. Use that address.`);
  const type = headers["content-type"]?.split(";", 1)[0] ?? "nothing";
  return new UnreachableError(`No daemon answers at ${origin}: status ${status} with ${type}.`);
}

const describe = (errors: readonly InvalidField[]) => errors.map((error) => printField(error, "envelope")).join("; ");

/** A response of a daemon violates the contract. The message names the operation and the field. */
export class ContractViolation extends Error {
  override readonly name = "ContractViolation";
  readonly request_id: string | undefined; // The daemon's id of the request, if the response has one.

  constructor(message: string, request_id: string | undefined) {
    super(message);
    this.request_id = request_id;
  }
}

type RefusalDetails = { fieldErrors: readonly FieldError[]; headers: Record<string, string>; request_id: string };

/** An error of the catalogue that the daemon returned, with the id of the request in the daemon's log. */
export class RemoteRefusal extends AnpError {
  readonly request_id: string;

  constructor(code: ErrorCode, message: string, about: RefusalDetails) {
    super(code, message, about);
    this.request_id = about.request_id;
  }
}
