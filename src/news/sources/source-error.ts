/** Why a source could not be read. */
export type SourceFailure =
  | "timeout"
  | "network"
  | "address"
  | "status"
  | "gone"
  | "redirect"
  | "too_large"
  | "not_found"
  | "unreadable"
  | "too_costly"
  | "not_a_feed"
  | "invalid";

/** A source failed. The message is for the operator and holds no credentials; the last good content stays. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly failure: SourceFailure;
  /** How long the server asked not to be asked again, ms. */
  retry_after_ms?: number;

  constructor(failure: SourceFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}
