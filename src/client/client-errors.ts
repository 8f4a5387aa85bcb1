import { AnpError, type ErrorCode, type FieldError } from "../contract/errors.ts";

/** No daemon answers at the address: nothing listens there, it is too slow, or it is another server. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** A response of a daemon violates the contract. The message names the operation and the field. */
export class ContractViolation extends Error {
  override readonly name = "ContractViolation";
  /** The daemon's id of the request, if the response has one. */
  readonly request_id: string | undefined;

  constructor(message: string, request_id: string | undefined) {
    super(message);
    this.request_id = request_id;
  }
}

/** An error of the catalogue that the daemon returned, with the id of the request in the daemon's log. */
export class RemoteRefusal extends AnpError {
  readonly request_id: string;

  constructor(
    code: ErrorCode,
    message: string,
    options: { fieldErrors: readonly FieldError[]; headers: Record<string, string>; request_id: string },
  ) {
    super(code, message, options);
    this.request_id = options.request_id;
  }
}
