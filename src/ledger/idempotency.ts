import { invalid, type FieldError } from "../contract/errors.ts";
import { canonicalJson, sha256 } from "../runtime/canonical-json.ts";
import type { Entry } from "./entry.ts";

/**
 * Identifies a change, so that a repeated request returns the first result instead of changing the ledger again:
 * `UserLedger.post` looks the operation up before it decides.
 */
export interface LedgerOperation {
  /** Unique among the user's operations. */
  readonly id: string;
  /** The request, as JSON values: the same id with another request is refused. */
  readonly request: unknown;
  /**
   * Where in a request the id came from; such an id may be repeated. Absent for an id that the server just made: that is
   * unique and needs no index.
   */
  readonly origin?: Pick<FieldError, "in" | "path">;
}

/** @throws AnpError 422 when the operation made the entry for another request */
export function checkSameRequest(made: Entry, operation: LedgerOperation): void {
  if (made.operation.request === requestHash(operation)) return;
  const origin = operation.origin ?? { in: "header", path: "Idempotency-Key" };
  throw invalid([{ ...origin, message: "was used for another request before" }]);
}

/** SHA-256 of the request of an operation, as its entry keeps it. */
export function requestHash(operation: LedgerOperation): string {
  return sha256(canonicalJson(operation.request));
}
