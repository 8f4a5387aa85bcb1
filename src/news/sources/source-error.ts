/** Why a source could not be read. */
export type SourceFailure =
  "timeout" | "network" | "status" | "redirect" | "too_large" | "not_found" | "unreadable" | "not_a_feed" | "invalid";

/** A source failed. The message is for the operator and holds no credentials; the last good content stays. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly failure: SourceFailure;

  constructor(failure: SourceFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}
