/** One kind of error, as the API and the command line show it. */
export interface ErrorKind {
  /** HTTP status of the response. */
  readonly status: number;
  /** Exit code of the command line. */
  readonly exit: number;
  /** The envelope's default message. */
  readonly message: string;
  /** What the caller can do about it. */
  readonly remedy: string;
  /** Default `Retry-After` in seconds, for errors that do not carry a delay of their own. */
  readonly retry_after_s?: number;
}

/**
 * The error catalogue: the envelope's `code` → HTTP status → exit code → what the user can do.
 * Codes 401, 422, 1005, 1007, 1009 and 500 are the interface's; the others are plain HTTP.
 */
export const ERRORS = {
  400: {
    status: 400,
    exit: 2,
    message: "The request is not well-formed HTTP.",
    remedy: "Send a well-formed HTTP/1.1 request.",
  },
  401: {
    status: 401,
    exit: 4,
    message: "The user token is missing or invalid.",
    remedy: "Send a valid token in the X-User-Token header.",
  },
  404: { status: 404, exit: 5, message: "Not found.", remedy: "Check the path or the name." },
  405: { status: 405, exit: 2, message: "Method not allowed.", remedy: "Use a method that the Allow header lists." },
  408: {
    status: 408,
    exit: 1,
    message: "The request did not arrive in time.",
    remedy: "Send the whole request without a pause.",
  },
  413: { status: 413, exit: 2, message: "The body is too large.", remedy: "Send a smaller body." },
  415: {
    status: 415,
    exit: 2,
    message: "The body must be application/json.",
    remedy: "Send the header Content-Type: application/json.",
  },
  422: {
    status: 422,
    exit: 2,
    message: "Parameter validation failed.",
    remedy: "Correct the fields that `errors` lists.",
  },
  429: {
    status: 429,
    exit: 1,
    message: "Too many requests.",
    remedy: "Wait for the number of seconds in the Retry-After header, then retry.",
    retry_after_s: 1,
  },
  431: { status: 431, exit: 2, message: "The headers are too large.", remedy: "Send less than 16 KiB of headers." },
  500: {
    status: 500,
    exit: 1,
    message: "Internal error.",
    remedy: "Retry; if it fails again, give the request_id to support.",
  },
  503: {
    status: 503,
    exit: 6,
    message: "The service cannot reach its storage.",
    remedy:
      "Retry after the number of seconds in the Retry-After header, with the same Idempotency-Key if there is one.",
    retry_after_s: 2,
  },
  1005: {
    status: 402,
    exit: 3,
    message: "Insufficient points.",
    remedy: "Exchange tokens for points, or wait for the next reset of the free quota.",
  },
  1007: {
    status: 502,
    exit: 6,
    message: "The external model call failed.",
    remedy: "Retry later; nothing was charged.",
  },
  1009: {
    status: 400,
    exit: 1,
    message: "Invalid business request.",
    remedy: "Correct the amount; the message gives the bound.",
  },
} as const satisfies Record<number, ErrorKind>;

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
