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
  /** Where in a request the id came from: it may be repeated. Absent for one that the server made, which needs no index. */
  readonly origin?: Pick<FieldError, "in" | "path">;
}

/** @throws TypeError for an id from outside that cannot be part of a storage key: nobody could write after its entry */
export function checkOperation({ user }: EntryStore, { id, origin }: LedgerOperation): void {
  if (origin !== undefined) encodeKey(operationKey(user, id));
}

/** The entry that the operation made before, as safe as when it was acknowledged: perhaps it never was. Every
 * operation up to the entry before the last is indexed, and the last is at hand: nothing can be missed.
 * @throws AnpError 422 when the id was used for another request
 * @throws CorruptionError when the operation is indexed, and its entry is not there or another one's */
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
  // To take it for a new operation would make the change once more.
  throw new CorruptionError(printKey(key), `it leads to entry ${stored.item.id}, which another operation made`);
}

/** The entry of an operation for another answer to its caller. @throws AnpError 422 for another request */
export async function acknowledge(entries: EntryStore, stored: StoredEntry, operation: LedgerOperation) {
  if (stored.item.operation.request !== requestHash(operation)) {
    const origin = operation.origin ?? { in: "header", path: "Idempotency-Key" };
    throw invalid([{ ...origin, message: "was used for another request before" }]);
  }
  await entries.storage.confirm(entryKey(entries.user, stored.item.id), stored.text);
  return stored.item;
}

/** Indexes a repeatable operation before any later entry is made. @returns false, with nothing done, where its entry is
 * lost: no entry may follow then, as another process may make it again in between */
export async function indexOperation(entries: EntryStore, last: StoredEntry | undefined): Promise<boolean> {
  if (last?.item.operation.repeatable !== true) return true;
  const { user, storage } = entries;
  const { id, operation } = last.item;
  const key = operationKey(user, operation.id);
  const after = { key: entryKey(user, id), value: last.text };
  const outcome = await storage.createAfter(key, JSON.stringify({ entry: id }), after);
  if (outcome !== "conflict") return outcome === "created";
  const stored = await storage.get(key); // Another writer made it, who may have died before it was safe.
  if (stored !== undefined) await storage.confirm(key, stored);
  return stored !== undefined;
}

/** SHA-256 of the request of an operation, as its entry keeps it. */
export const requestHash = (operation: LedgerOperation): string => sha256(canonicalJson(operation.request));
