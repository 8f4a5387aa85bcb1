import { ENDPOINTS, type OperationData, type OperationId } from "../contract/endpoints.ts";
import { errorEnvelope, successEnvelope } from "../contract/envelope.ts";
import { ERRORS, type ErrorCode } from "../contract/errors.ts";
import { ContractViolation, RemoteRefusal, UnreachableError } from "./client-errors.ts";
import type { WireResponse } from "./transport.ts";

/** A success of an operation, as it came. */
export interface Success<K extends OperationId> {
  readonly data: OperationData<K>;
  readonly request_id: string;
  /** The result of an earlier call with the same key. */
  readonly replayed: boolean;
}

/**
 * Reads an answer and checks every field of it against the contract. Fields that the contract does not know are kept.
 *
 * @throws RemoteRefusal for a failure of the catalogue
 * @throws ContractViolation for an answer outside of the contract
 * @throws UnreachableError for what is no envelope: another server stands at the address, or a balancer without one
 */
export function readEnvelope<K extends OperationId>(id: K, response: WireResponse, origin: string): Success<K> {
  const { status, headers, text } = response;
  const value = parse(text);
  if (typeof value !== "object" || value === null || !("success" in value)) throw noDaemon(response, origin);
  if (value.success === false) throw refusal(id, response, value);
  const parsed = successEnvelope(ENDPOINTS[id].data).safeParse(value);
  if (!parsed.success || status !== 200) {
    const fault = parsed.success ? `the status is ${status}` : describe(parsed.error.issues);
    throw new ContractViolation(`The answer to ${id} is not of the contract: ${fault}.`, headers["x-request-id"]);
  }
  // As it came, not as it was parsed: the order of its fields is the daemon's.
  const { data, request_id } = value as unknown as { data: OperationData<K>; request_id: string };
  return { data, request_id, replayed: headers["idempotency-replayed"] === "true" };
}

function refusal(id: OperationId, { status, headers }: WireResponse, value: object): Error {
  const parsed = errorEnvelope.safeParse(value);
  const fault = parsed.success ? undefined : describe(parsed.error.issues);
  const code = parsed.data?.code;
  if (parsed.data === undefined || code === undefined || !isKnown(code)) {
    return new ContractViolation(
      `The failure of ${id} is not of the contract: ${fault ?? `the code ${code} is not known`}.`,
      headers["x-request-id"],
    );
  }
  if (ERRORS[code].status !== status) {
    return new ContractViolation(
      `The failure of ${id} is not of the contract: code ${code} came with the status ${status}.`,
      parsed.data.request_id,
    );
  }
  const { message, request_id, errors = [] } = parsed.data;
  const retryAfter = headers["retry-after"];
  return new RemoteRefusal(code, message, {
    faults: errors,
    headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
    request_id,
  });
}

function isKnown(code: number): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

function noDaemon({ status, headers }: WireResponse, origin: string): UnreachableError {
  const { location } = headers;
  if (status >= 300 && status < 400 && location !== undefined) {
    return new UnreachableError(`${origin} redirects to ${location}; a token is not sent on. Use that address.`);
  }
  const type = headers["content-type"]?.split(";", 1)[0] ?? "nothing";
  return new UnreachableError(`No daemon answers at ${origin}: status ${status} with ${type}.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describe(issues: readonly { path: readonly PropertyKey[]; message: string }[]): string {
  return issues.map(({ path, message }) => `${path.map(String).join(".") || "envelope"}: ${message}`).join("; ");
}
