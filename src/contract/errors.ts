import { EXIT, type ExitCode } from "./exit-codes.ts";

/** One kind of error, as the API and the command line show it. */
export interface ErrorKind {
  /** HTTP status of the response. */
  readonly status: number;
  /** Exit code of the command line. */
  readonly exit: ExitCode;
  /** The envelope's default message. */
  readonly message: string;
  /** What the caller can do about it. */
  readonly remedy: string;
  /** Default `Retry-After` in seconds, for errors that do not carry a delay of their own. */
  readonly retry_after_s?: number;
}

function kind(status: number, exit: ExitCode, message: string, remedy: string, retry_after_s?: number): ErrorKind {
  return { status, exit, message, remedy, ...(retry_after_s !== undefined && { retry_after_s }) };
}

/**
 * The error catalogue: the envelope's `code` → HTTP status → exit code → what the user can do.
 * Codes 401, 422, 1005, 1007, 1009 and 500 are the interface's; the others are plain HTTP.
 */
export const ERRORS = {
  400: kind(400, EXIT.usage, "The request is not well-formed HTTP.", "Send a well-formed HTTP/1.1 request."),
  401: kind(401, EXIT.auth, "The user token is missing or invalid.", "Send a valid token in the X-User-Token header."),
  404: kind(404, EXIT.notFound, "Not found.", "Check the path or the name."),
  405: kind(405, EXIT.usage, "Method not allowed.", "Use a method that the Allow header lists."),
  408: kind(408, EXIT.failure, "The request did not arrive in time.", "Send the whole request without a pause."),
  413: kind(413, EXIT.usage, "The body is too large.", "Send a smaller body."),
  415: kind(415, EXIT.usage, "The body must be application/json.", "Send the header Content-Type: application/json."),
  422: kind(422, EXIT.usage, "Parameter validation failed.", "Correct the fields that `errors` lists."),
  429: kind(
    429,
    EXIT.failure,
    "Too many requests.",
    "Wait for the number of seconds in the Retry-After header, then retry.",
    1,
  ),
  431: kind(431, EXIT.usage, "The headers are too large.", "Send less than 16 KiB of headers."),
  500: kind(500, EXIT.failure, "Internal error.", "Retry; if it fails again, give the request_id to support."),
  503: kind(
    503,
    EXIT.unreachable,
    "The service cannot reach its storage.",
    "Retry after the number of seconds in the Retry-After header, with the same Idempotency-Key if there is one.",
    2,
  ),
  1005: kind(
    402,
    EXIT.insufficientPoints,
    "Insufficient points.",
    "Exchange tokens for points, or wait for the next reset of the free quota.",
  ),
  1007: kind(502, EXIT.unreachable, "The external model call failed.", "Retry later; nothing was charged."),
  1009: kind(400, EXIT.failure, "Invalid business request.", "Correct the amount; the message gives the bound."),
} satisfies Record<number, ErrorKind>;

/** A code of the error catalogue. */
export type ErrorCode = keyof typeof ERRORS;

/** A field of a request that failed validation. The message gives the bound or the type that it must have. */
export interface FieldError {
  readonly in: "query" | "body" | "header" | "path";
  /** Dotted path of the field; empty for the query or body as a whole. */
  readonly path: string;
  readonly message: string;
}

/** An error of the catalogue. Every expected failure of an operation is one of these. */
export class AnpError extends Error {
  override readonly name = "AnpError";
  readonly code: ErrorCode;
  /** With code 422: every field error found, not only the first. */
  readonly fieldErrors: readonly FieldError[];
  /** Headers that the response must carry, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string = ERRORS[code].message,
    options: { fieldErrors?: readonly FieldError[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fieldErrors = options.fieldErrors ?? [];
    this.headers = options.headers ?? {};
  }
}

/** A 422. Its message names the first field error, so that a reader of the message alone can act. */
export function invalid(fieldErrors: readonly FieldError[]): AnpError {
  const first = fieldErrors[0];
  const message =
    first === undefined ? ERRORS[422].message : `${ERRORS[422].message} ${first.path || first.in}: ${first.message}`;
  return new AnpError(422, message, { fieldErrors });
}
