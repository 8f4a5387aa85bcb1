import { z } from "zod";
import { batchesOf } from "../runtime/batches.ts";
import { checkDocument, printKey, readEach } from "../storage/documents.ts";
import { CorruptionError, type EncodedSegment, type Key, type Storage } from "../storage/storage.ts";
import { encodeSegment, streamItem } from "../storage/keys.ts";
import { entryKey, operationPointer } from "./entry.ts";

export interface LedgerDamage {
  readonly entry: number | null; // Number of the damaged entry; null when the damage is in no entry.
  readonly message: string;
}

/** A record outside the ledger that exists only after a charge, so it reveals a lost entry. */
export interface ChargeTrace {
  /** Whether this key, which begins with `users` and a user, holds a trace. */
  isAt(key: readonly EncodedSegment[]): boolean;
  readonly schema: z.ZodType<{ message_id: number }>;
  answerOf(value: { readonly message_id: number }, key: Key): number; // The id of the charged answer.
}

/** Callbacks for every key and entry that a verification reads, so that further checks need no scan of their own. */
export interface LedgerHooks {
  readonly onKeys: (keys: readonly (readonly EncodedSegment[])[]) => Promise<void>;
  readonly onEntries: (user: EncodedSegment, entries: WalkedEntries) => Promise<void>; // Valid ones, page by page.
}

/** Consecutive valid entries of a ledger. */
export interface WalkedEntries {
  readonly first: number; // Number of the first one.
  readonly texts: readonly string[]; // As they are stored.
  readonly charged: readonly (number | null)[]; // Per entry: id of the answer that it charged for, or null.
}

export type ScannedUser = ReturnType<typeof newScannedUser>;
type ScanOptions = { readonly trace?: ChargeTrace | undefined; readonly onKeys?: LedgerHooks["onKeys"] };
const BATCH = 256;
const FOLLOWED = 32_768; // Index pointers buffered at a time: sorted, so that entries are read in their order.

/** A user of whom no key has been read yet. */
export function newScannedUser(segment: EncodedSegment) {
  return {
    segment,
    top: 0, // Largest number of a stored entry.
    answers: [] as number[], // Ids of delivered answers: unordered, twice if the storage lists a key twice.
    indexed: [] as number[], // Numbers of correctly indexed entries: unordered, perhaps twice.
    damage: undefined as LedgerDamage | undefined,
  };
}

/** Scans all keys below `prefix` (everything, all users, or one user) once: records what each user has, and follows
 * every index pointer to its entry. Memory grows with the number of users, and by some 12 bytes for each delivered
 * answer and indexed operation. @returns the users by encoded segment
 * @throws StorageError when the storage does not answer */
export async function scanUsers(storage: Storage, prefix: Key, { trace, onKeys }: ScanOptions) {
  const users = new Map<string, ScannedUser>();
  const indexed: Pointer[] = [];
  for await (const batch of batchesOf(storage.keys(prefix, undefined, "last"), BATCH)) {
    const [pointers, answers]: [Found[], Found[]] = [[], []];
    for (const key of batch) {
      const [root, segment, kind] = key;
      if (root!.text !== "users" || segment === undefined || kind === undefined) continue;
      const user = users.get(segment.text) ?? newScannedUser(segment);
      users.set(segment.text, user);
      if (kind.text === "ledger") user.top = Math.max(user.top, streamItem(key)?.version ?? 0);
      else if (kind.text === "operations") pointers.push({ user, key });
      else if (trace?.isAt(key) === true) answers.push({ user, key });
    }
    indexed.push(...(await readFound(storage, pointers, operationPointer)));
    if (indexed.length >= FOLLOWED) await followPointers(storage, indexed.splice(0));
    for (const { user, key, value } of trace ? await readFound(storage, answers, trace.schema) : [])
      user.answers.push(trace!.answerOf(value, key));
    await onKeys?.(batch);
  }
  await followPointers(storage, indexed);
  return users;
}

type Found = { readonly user: ScannedUser; readonly key: readonly EncodedSegment[] };

/** Reads and parses values. An unreadable value is noted as damage of its user; one removed meanwhile is left out. */
async function readFound<T>(storage: Storage, found: readonly Found[], schema: z.ZodType<T>) {
  const keys = found.map(({ key }) => key);
  const texts = await readEach(storage, keys);
  return found.flatMap(({ user, key }, index) => {
    const value = checkDocument(key, texts[index], schema);
    if (value instanceof Error) note(user, { entry: null, message: value.message });
    return value === undefined || value instanceof Error ? [] : [{ user, key, value }];
  });
}

type Pointer = Found & { readonly value: { readonly entry: number } };

/** Checks that each index pointer leads to the entry of its operation. If it leads nowhere, the entry was lost. */
async function followPointers(storage: Storage, pointers: readonly Pointer[]): Promise<void> {
  const name = ({ user }: Pointer): string => user.segment.text;
  const ordered = pointers.toSorted((one, other) =>
    one.user === other.user ? one.value.entry - other.value.entry : name(one) < name(other) ? -1 : 1,
  );
  for await (const some of batchesOf(ordered, BATCH)) {
    const places = some.map(({ user, value }) => entryKey(user.segment, value.entry));
    const texts = await readEach(storage, places);
    for (const [index, { user, key, value }] of some.entries()) {
      const found = checkDocument(places[index]!, texts[index], madeBy);
      // An entry that cannot be read or parsed is found when the ledger is walked.
      if (found instanceof Error) continue;
      if (found === undefined)
        note(user, damageAt(value.entry, places[index]!, `the entry is missing while ${printKey(key)} leads to it`));
      else if (encodeSegment(found.operation.id) !== key.at(-1)!.text)
        note(user, damageAt(value.entry, key, `it leads to entry ${value.entry}, which another operation made`));
      else user.indexed.push(value.entry);
    }
  }
}

const madeBy = z.object({ operation: z.object({ id: z.string().min(1) }) });

function note(user: ScannedUser, damage: LedgerDamage): void {
  user.damage = firstDamage(user.damage, damage);
}

/** Damage found at a key; its message names the key. */
export function damageAt(entry: number | null, key: Key, reason: string): LedgerDamage {
  return { entry, message: new CorruptionError(printKey(key), reason).message };
}

/** The damage of the lower entry; damage of no entry comes last. */
export function firstDamage(one: LedgerDamage | undefined, other: LedgerDamage | undefined): LedgerDamage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (other.entry ?? Infinity) < (one.entry ?? Infinity) ? other : one;
}
