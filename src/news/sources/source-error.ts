import REMEDIES from "./source-remedies.json" with { type: "json" };

/** What an operator can do about a source that could not be read, by the reason. */
export const SOURCE_REMEDIES = REMEDIES;

/** Why a source could not be read. */
export type SourceFailure = keyof typeof REMEDIES;

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
