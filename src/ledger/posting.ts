import { invalid, type FieldError } from "../contract/errors.ts";
import { canonicalJson, sha256 } from "../runtime/canonical-json.ts";
import { toIso } from "../runtime/clock.ts";
import type { Change, Command } from "./decide.ts";
import { describeEntry } from "./describe-entry.ts";
import { genesisHash, hashEntry, type Entry } from "./entry.ts";
import type { Language } from "../contract/schemas/shared-fields.ts";

/** Identifies a change, so that a repeated request returns the first result instead of changing the ledger again. */
export interface Operation {
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

/** A change that a caller requests. */
export interface Posting {
  readonly operation: Operation;
  readonly command: Command;
  readonly ref_id: string;
  /** Language of the entry's description. */
  readonly lang: Language;
}

/** The entry of a posting, and whether an earlier request made it. */
export interface Posted {
  readonly entry: Entry;
  readonly replayed: boolean;
}

/** The entry that a change makes after `last`. */
export function entryAfter(
  last: Entry | undefined,
  made: { user: string; posting: Posting; change: Change; now: number },
): Entry {
  const { user, change, now } = made;
  const { operation, command, ref_id, lang } = made.posting;
  const fields: Omit<Entry, "hash"> = {
    id: (last?.id ?? 0) + 1,
    user_id: user,
    type: command.type,
    delta: change.delta,
    description: describeEntry(change, lang),
    ref_id,
    created_at: toIso(now),
    operation: { id: operation.id, request: requestHash(operation), repeatable: operation.origin !== undefined },
    details: change.details,
    account: change.account,
    prev: last?.hash ?? genesisHash(user),
  };
  return { ...fields, hash: hashEntry(fields) };
}

/** @throws AnpError 422 when the operation made the entry for another request */
export function checkSameRequest(made: Entry, operation: Operation): void {
  if (made.operation.request === requestHash(operation)) return;
  const origin = operation.origin ?? { in: "header", path: "Idempotency-Key" };
  throw invalid([{ ...origin, message: "was used for another request before" }]);
}

function requestHash(operation: Operation): string {
  return sha256(canonicalJson(operation.request));
}
