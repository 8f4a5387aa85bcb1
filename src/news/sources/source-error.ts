import { readRetryAfter } from "../../runtime/retry-after.ts";
import REMEDIES from "./source-remedies.json" with { type: "json" };

const REMEDY_OF: Readonly<Record<string, string>> = REMEDIES;

/** The advice to an operator for a source that could not be read. */
export const remedyOf = ({ failure, status }: Pick<SourceError, "status"> & { readonly failure: string }): string =>
  REMEDY_OF[`${status}`] ?? REMEDY_OF[`${`${status}`[0]}xx`] ?? REMEDY_OF[failure] ?? REMEDIES.network;

/** Why a source could not be read. */
export type SourceFailure = Exclude<keyof typeof REMEDIES, `${number}` | "5xx">;

/** A source failed. The message is for the operator and holds no credentials; its last good content, if any, stays. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly failure: SourceFailure;
  status?: number | undefined; // HTTP status of the server's answer, if any.
  retry_after_ms?: number | undefined; // Delay requested by `Retry-After`, ms.

  constructor(failure: SourceFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}

/** The error of a response that is not a success. `now` is ms since the epoch, for a date in `Retry-After`. */
export function statusError({ status, headers }: Pick<Response, "status" | "headers">, now: number): SourceError {
  const answer = status === 410 ? "410 (gone); it is asked again once a day" : String(status);
  const error = new SourceError(status === 410 ? "gone" : "status", `the server answered ${answer}`);
  error.status = status;
  error.retry_after_ms = readRetryAfter(headers.get("retry-after"), now);
  return error;
}
