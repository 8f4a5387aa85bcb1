import { parseDocument, printKey, readDocument } from "../storage/documents.ts";
import { CorruptionError } from "../storage/errors.ts";
import type { Key, Storage } from "../storage/storage.ts";
import { openStream } from "../storage/stream.ts";
import { canonicalJson } from "../runtime/canonical.ts";
import { EMPTY_ACCOUNT, entry, genesisHash, hashEntry, type Entry } from "./entry.ts";
import { ledgerKey, operationKey, operationPointer } from "./ledger.ts";

/** What a walk over one user's ledger found. */
export interface Verification {
  readonly user_id: string;
  /** Entries that were read and found right. */
  readonly entries: number;
  /** Points after the last right entry. */
  readonly balance: number;
  /** The first thing that is wrong, with the entry's number; absent when all is right. */
  readonly fault?: { readonly entry: number; readonly message: string };
}

/**
 * Walks a user's ledger from the first entry, in flat memory: every entry is well-formed and stored to the letter as
 * it was written, numbers have no gap, each hash fits its entry and the one before, deltas sum up to the account,
 * nothing is negative, every operation id that may come again leads to its entry, and no hint points past the end.
 */
export async function verifyLedger(storage: Storage, user: string): Promise<Verification> {
  const stream = openStream(storage, ledgerKey(user), entry);
  let last: Entry | undefined;
  let version = 0;
  try {
    for (;;) {
      const texts = await storage.getMany(Array.from({ length: 256 }, (_, step) => stream.keyOf(version + 1 + step)));
      for (const text of texts) {
        const next = version + 1;
        const key = stream.keyOf(next);
        if (text === undefined) {
          if (await goesOn(storage, user, version)) break;
          await checkOperations(storage, user, version);
          return { user_id: user, entries: version, balance: last?.account.balance ?? 0 };
        }
        const found = parseDocument(key, text, entry)!;
        const fault = faultOf(found, last, user, next) ?? (await operationFault(storage, found));
        if (fault !== undefined) throw new CorruptionError(printKey(key), fault);
        if (JSON.stringify(found) !== text) throw new CorruptionError(printKey(key), "it is not as it was written");
        if (last !== undefined) await checkIndexed(storage, last);
        last = found;
        version = next;
      }
    }
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error;
    const fault = { entry: version + 1, message: error.message };
    return { user_id: user, entries: version, balance: last?.account.balance ?? 0, fault };
  }
}

/**
 * Whether entries were appended since the end was seen. Nothing else may lie past the end: neither an entry (a gap) nor
 * where the hint points.
 */
async function goesOn(storage: Storage, user: string, end: number): Promise<boolean> {
  const stream = openStream(storage, ledgerKey(user), entry);
  const hint = Number((await storage.get([...ledgerKey(user), "head"])) ?? 0);
  const beyond = Array.from({ length: 64 }, (_, step) => stream.keyOf(end + 2 + step));
  const found = (await storage.getMany(beyond)).findIndex((text) => text !== undefined);
  // Read last: an entry is there before any later one, and before the hint points to it.
  if (await storage.has(stream.keyOf(end + 1))) return true;
  if (found === -1 && !(hint > end)) return false;
  const later = found === -1 ? `the hint points to ${hint}` : `entry ${end + 2 + found} exists`;
  throw new CorruptionError(printKey(stream.keyOf(end + 1)), `the entry is missing while ${later}`);
}

/** No operation may lead past the end: the entry it led to would be lost. */
async function checkOperations(storage: Storage, user: string, end: number): Promise<void> {
  const stream = openStream(storage, ledgerKey(user), entry);
  for await (const operation of storage.children(["users", user, "operations"])) {
    const key: Key = ["users", user, "operations", operation];
    const pointer = await readDocument(storage, key, operationPointer);
    // An entry past the end that is there by now was appended meanwhile.
    if (pointer === undefined || pointer.entry <= end || (await storage.has(stream.keyOf(pointer.entry)))) continue;
    const lost = printKey(stream.keyOf(end + 1));
    throw new CorruptionError(lost, `the entry is missing while an operation leads to entry ${pointer.entry}`);
  }
}

function faultOf(found: Entry, last: Entry | undefined, user: string, version: number): string | undefined {
  const { hash, ...fields } = found;
  if (hash !== hashEntry(fields)) return "its hash does not fit its fields";
  if (found.prev !== (last?.hash ?? genesisHash(user))) return "it does not follow the entry before";
  if (found.id !== version) return `it says that it is entry ${found.id}`;
  if (found.user_id !== user) return `it says that it belongs to ${found.user_id}`;
  if (found.type !== found.details.type) return `its details are of type ${found.details.type}`;
  const before = last?.account ?? EMPTY_ACCOUNT;
  const { account, delta } = found;
  const free = found.details.type === "chat_cost" && found.details.free;
  const expected = {
    balance: before.balance + delta,
    total_earned: before.total_earned + Math.max(0, delta),
    total_spent: before.total_spent + Math.max(0, -delta),
    free_day: free ? account.free_day : before.free_day,
    free_used: free ? (account.free_day === before.free_day ? before.free_used + 1 : 1) : before.free_used,
  };
  if (canonicalJson(account) !== canonicalJson(expected)) return "its account does not follow from the one before";
  if (account.free_day < before.free_day) return "its quota day is before an earlier one";
  return undefined;
}

/** An operation id that may come again must not lead to another entry. */
async function operationFault(storage: Storage, found: Entry): Promise<string | undefined> {
  if (!found.operation.repeatable) return undefined;
  const pointer = await readDocument(storage, operationKey(found.user_id, found.operation.id), operationPointer);
  if (pointer === undefined || pointer.entry === found.id) return undefined;
  return `its operation ${found.operation.id} is indexed as entry ${pointer.entry}`;
}

/** The operation of an entry that has a successor must be indexed: whoever made the successor saw to that first. */
async function checkIndexed(storage: Storage, found: Entry): Promise<void> {
  if (!found.operation.repeatable) return;
  const key = operationKey(found.user_id, found.operation.id);
  if ((await storage.get(key)) === undefined) {
    throw new CorruptionError(printKey(key), `the index of the operation of entry ${found.id} is missing`);
  }
}

/** The users whose ledger is there while their profile is not: nothing else would show them. */
export async function* lostProfiles(storage: Storage): AsyncGenerator<string> {
  for await (const segment of storage.children(["users"])) {
    if (await storage.has(["users", segment, "profile"])) continue;
    const first: Key = ["users", segment, "ledger", "0", "1"];
    const text = await storage.get(first);
    if (text !== undefined) yield parseDocument(first, text, entry)!.user_id;
  }
}
