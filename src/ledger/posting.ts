import { toIso } from "../runtime/clock.ts";
import type { Change, LedgerCommand } from "./decide.ts";
import { describeEntry } from "./describe-entry.ts";
import { genesisHash, hashEntry, type Entry } from "./entry.ts";
import { requestHash, type LedgerOperation } from "./idempotency.ts";
import type { Language } from "../contract/schemas/shared-fields.ts";

/** A change that a caller requests. */
export interface Posting {
  readonly operation: LedgerOperation;
  readonly command: LedgerCommand;
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
