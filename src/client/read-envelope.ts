import { ENDPOINTS, type OperationData, type OperationId } from "../contract/endpoints.ts";
import { errorEnvelope, successEnvelope } from "../contract/envelope.ts";
import { ERRORS, type ErrorCode } from "../contract/errors.ts";
import { printField, validate, type InvalidField } from "../contract/validate.ts";
import { ContractViolation, RemoteRefusal, UnreachableError } from "./client-errors.ts";
import type { WireResponse } from "./transport.ts";

/** A success of an operation, as received. */
export interface Success<K extends OperationId> {
  readonly data: OperationData<K>;
  readonly request_id: string;
  /** Whether this is the result of an earlier call under the same idempotency key. */
  readonly replayed: boolean;
}

/**
 * Reads a response and checks every field of it against the contract. Fields that the contract does not know are kept.
 *
 * @throws RemoteRefusal for an error of the catalogue
 * @throws ContractViolation for a response that violates the contract
 * @throws UnreachableError for a body that is not an envelope: the address belongs to another server, or to a load
 *   balancer without a daemon
 */
export function readEnvelope<K extends OperationId>(id: K, response: WireResponse, origin: string): Success<K> {
  const { status, headers, text } = response;
  const value = parse(text);
  if (typeof value !== "object" || value === null || !("success" in value)) throw noDaemon(response, origin);
  if (value.success === false) throw refusal(id, response, value);
  const checked = validate(successEnvelope(ENDPOINTS[id].data), value);
  if (!checked.valid || status !== 200) {
    const reason = checked.valid ? `the status is ${status}` : describe(checked.errors);
    throw new ContractViolation(`The response to ${id} violates the contract: ${reason}.`, headers["x-request-id"]);
  }
  // Not the parsed value: the order of the fields is the daemon's.
  const { data, request_id } = value as unknown as { data: OperationData<K>; request_id: string };
  return { data, request_id, replayed: headers["idempotency-replayed"] === "true" };
}

function refusal(id: OperationId, { status, headers }: WireResponse, value: object): Error {
  const violation = (reason: string, request_id = headers["x-request-id"]): Error =>
    new ContractViolation(`The error response to ${id} violates the contract: ${reason}.`, request_id);
  const checked = validate(errorEnvelope, value);
  if (!checked.valid) return violation(describe(checked.errors));
  const { code, message, request_id, errors = [] } = checked.data;
  if (!isKnown(code)) return violation(`the code ${code} is unknown`);
  if (ERRORS[code].status !== status) return violation(`code ${code} came with the status ${status}`, request_id);
  const retryAfter = headers["retry-after"];
  return new RemoteRefusal(code, message, {
    fieldErrors: errors,
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

function describe(errors: readonly InvalidField[]): string {
  return errors.map((error) => printField(error, "envelope")).join("; ");
}
