import { invalid, type FieldError } from "../contract/errors.ts";
import { canonicalJson, sha256 } from "../runtime/json/canonical-json.ts";
import { printKey, readDocument } from "../storage/documents.ts";
import { encodeKey } from "../storage/keys.ts";
import { CorruptionError } from "../storage/storage.ts";
import type { EntryStore, LedgerEnd, StoredEntry } from "./entry-store.ts";
import { entryKey, operationKey, operationPointer } from "./entry.ts";

/** Identifies a change, so that a repeated request returns the first result instead of changing the ledger again. */
export interface LedgerOperation {
  readonly id: string; // Unique among the user's operations.
  readonly request: unknown; // The request, as JSON values: the same id with another request is refused.
  /** Where a client's request holds the id: it may retry with it. Absent for the server's own id: not indexed. */
  readonly origin?: Pick<FieldError, "in" | "path">;
}

/** @throws TypeError for a client's id that cannot be part of a storage key: no entry could follow its entry */
export function checkOperation({ user }: EntryStore, { id, origin }: LedgerOperation): void {
  if (origin !== undefined) encodeKey(operationKey(user, id));
}

/** The entry that an earlier attempt of the operation appended. It is made durable first, since that attempt may not
 * have been acknowledged. No entry is missed: the last one is given, and the operations of all others are indexed.
 * @throws AnpError 422 when the id was used for another request
 * @throws CorruptionError when the index points to an entry that is missing or belongs to another operation */
export async function findOperation(entries: EntryStore, operation: LedgerOperation, { last, generation }: LedgerEnd) {
  const { user, storage } = entries;
  if (last === undefined) return undefined;
  if (last.item.operation.id === operation.id) return acknowledge(entries, last, operation);
  if (operation.origin === undefined) return undefined;
  const key = operationKey(user, operation.id);
  const pointer = await readDocument(storage, key, operationPointer);
  if (pointer === undefined) return undefined;
  const stored = await entries.at(pointer.entry);
  const isOwn = stored?.item.operation.id === operation.id;
  // A failover may have lost the entry, and another one may have its number.
  if (!isOwn && storage.generation() !== generation) return undefined;
  if (stored === undefined) throw entries.missing(pointer.entry);
  if (isOwn) return acknowledge(entries, stored, operation);
  // Treating it as a new operation could apply the change twice.
  throw new CorruptionError(printKey(key), `it leads to entry ${stored.item.id}, which another operation made`);
}

/** The stored entry of a retried operation, made durable. @throws AnpError 422 if its request was another one */
export async function acknowledge(entries: EntryStore, stored: StoredEntry, operation: LedgerOperation) {
  if (stored.item.operation.request !== requestHash(operation)) {
    const origin = operation.origin ?? { in: "header", path: "Idempotency-Key" };
    throw invalid([{ ...origin, message: "was used for another request before" }]);
  }
  await entries.storage.confirm(entryKey(entries.user, stored.item.id), stored.text);
  return stored.item;
}

/** Indexes a repeatable operation before any later entry is appended. @returns false, with nothing written, if its
 * entry is lost: then no entry may follow, since another process may append a retry of the operation in between */
export async function indexOperation(entries: EntryStore, last: StoredEntry | undefined): Promise<boolean> {
  if (last?.item.operation.repeatable !== true) return true;
  const { user, storage } = entries;
  const { id, operation } = last.item;
  const key = operationKey(user, operation.id);
  const after = { key: entryKey(user, id), value: last.text };
  const outcome = await storage.createAfter(key, JSON.stringify({ entry: id }), after);
  if (outcome !== "conflict") return outcome === "created";
  const stored = await storage.get(key); // Its writer may have died before it was durable.
  if (stored !== undefined) await storage.confirm(key, stored);
  return stored !== undefined;
}

/** SHA-256 of the request of an operation, as its entry keeps it. */
export const requestHash = (operation: LedgerOperation): string => sha256(canonicalJson(operation.request));
