import { AnpError, type ErrorCode, type FieldError } from "../contract/errors.ts";

/** No daemon answers at the address: it is not there, too slow, or something else stands there. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** A daemon answered, but not as the contract says. The message names the operation and the place. */
export class ContractViolation extends Error {
  override readonly name = "ContractViolation";
  /** The daemon's id of the request, where it told one. */
  readonly request_id: string | undefined;

  constructor(message: string, request_id: string | undefined) {
    super(message);
    this.request_id = request_id;
  }
}

/** A refusal of the daemon: the error catalogue's, with the id under which the daemon's log has the request. */
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
