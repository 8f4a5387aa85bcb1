import type { z } from "zod";
import catalogue from "./error-catalogue.json" with { type: "json" };
import type { errorEnvelope } from "./envelope.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";

/** One kind of error, as the API and the command line show it. */
export interface ErrorKind {
  readonly status: number;
  readonly exit: ExitCode;
  readonly message: string; // The envelope's default message.
  readonly remedy: string; // What the caller can do about it.
  readonly retry_after_s?: number; // Default `Retry-After`, for errors that do not carry a delay of their own.
}

export type ErrorCode = keyof typeof catalogue extends `${infer Code extends number}` ? Code : never;

/** The error catalogue: the envelope's `code` → HTTP status → exit code → what the user can do.
 * Codes 401, 422, 1005, 1007, 1009 and 500 are the interface's; the others are plain HTTP. */
export const ERRORS = Object.fromEntries(
  Object.entries(catalogue).map(([code, kind]) => [code, { ...kind, exit: EXIT[kind.exit as keyof typeof EXIT] }]),
) as Readonly<Record<ErrorCode, ErrorKind>>;

/** A field that failed validation, and the bound or type it needs. `path` is dotted; empty for the query or body. */
export type FieldError = Readonly<NonNullable<z.infer<typeof errorEnvelope>["errors"]>[number]>;

type Details = { fieldErrors?: readonly FieldError[]; headers?: Record<string, string>; cause?: unknown };

/** An error of the catalogue. Every expected failure of an operation is one of these. */
export class AnpError extends Error {
  override readonly name = "AnpError";
  readonly code: ErrorCode;
  readonly fieldErrors: readonly FieldError[]; // With code 422: every field error found, not only the first.
  readonly headers: Readonly<Record<string, string>>; // Headers that the response must carry, such as `Allow`.

  constructor(code: ErrorCode, message: string = ERRORS[code].message, options: Details = {}) {
    const { stackTraceLimit } = Error;
    // A refusal is expected: capturing its stack would double its cost.
    if (ERRORS[code].status < 500) Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.fieldErrors = options.fieldErrors ?? [];
    this.headers = options.headers ?? {};
  }
}

/** A 404 for a user who is not known. */
export class UnknownUserError extends AnpError {
  readonly user: string;

  constructor(user: string, hint = "") {
    super(404, `User ${user} is not known.${hint}`);
    this.user = user;
  }
}

/** A 422. Its message names the first field error, so that a reader of the message alone can act. */
export function invalid(fieldErrors: readonly FieldError[]): AnpError {
  const [first] = fieldErrors;
  const named = first === undefined ? "" : ` ${first.path || first.in}: ${first.message}`;
  return new AnpError(422, ERRORS[422].message + named, { fieldErrors });
}
