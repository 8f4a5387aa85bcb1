import { z } from "zod";
import { batchesOf } from "../runtime/batches.ts";
import { checkDocument, printKey, readEach } from "../storage/documents.ts";
import { CorruptionError, type EncodedSegment, type Key, type Storage } from "../storage/storage.ts";
import { encodeSegment, streamItem } from "../storage/keys.ts";
import { entryKey, operationPointer } from "./entry.ts";

/** Damage of a user's ledger. */
export interface LedgerDamage {
  readonly entry: number | null; // Number of the wrong entry; null where the damage is in none.
  readonly message: string;
}

/** A record beside the ledger that exists only after a charge: it reveals an entry that was lost. */
export interface ChargeTrace {
  /** Whether this key, which begins with `users` and a user, holds a trace. */
  isAt(key: readonly EncodedSegment[]): boolean;
  readonly schema: z.ZodType<{ message_id: number }>; // The form of a trace: it names the answer that was charged.
}

/** Called with all that a verification passes by, so that whoever verifies more needs no pass of its own. */
export interface LedgerHooks {
  readonly onKeys: (keys: readonly (readonly EncodedSegment[])[]) => Promise<void>;
  readonly onEntries: (user: EncodedSegment, entries: WalkedEntries) => Promise<void>; // Valid ones, by pages.
}

/** Valid entries of a ledger that follow each other. */
export interface WalkedEntries {
  readonly first: number; // Number of the first one.
  readonly texts: readonly string[]; // As they are stored.
  readonly charged: readonly (number | null)[]; // The answer that each charged for, if it did.
}

/** The result of one pass over a user's keys. */
export type ScannedUser = ReturnType<typeof unscannedUser>;
const BATCH = 256;
const FOLLOWED = 32_768; // Indexed operations held at a time: the entries of so many are read in their order, not the index's.

/** A user of whom no key was read. */
export function unscannedUser(segment: EncodedSegment) {
  return {
    segment,
    top: 0, // Largest number of a stored entry.
    answers: [] as number[], // Ids of delivered answers, in no order; twice where the storage listed one twice.
    indexed: [] as number[], // Entries that the index leads to from the operation that made them, likewise.
    damage: undefined as LedgerDamage | undefined,
  };
}

/** Reads all keys below `prefix` (all, those of all users, or of one) once, in no order: records what each user has, and
 * follows every operation of the index to its entry. Memory grows with the number of users, and by some 12 bytes for
 * each delivered answer and each indexed operation. @returns the users by segment
 * @throws StorageError when the storage does not answer */
export async function scanUsers(
  storage: Storage,
  prefix: Key,
  { trace, onKeys }: { trace?: ChargeTrace | undefined; onKeys?: LedgerHooks["onKeys"] },
) {
  const users = new Map<string, ScannedUser>();
  const indexed: Pointer[] = [];
  for await (const batch of batchesOf(storage.keys(prefix, undefined, "last"), BATCH)) {
    const [pointers, answers]: [Found[], Found[]] = [[], []];
    for (const key of batch) {
      const [room, segment, kind] = key;
      if (room!.text !== "users" || segment === undefined || kind === undefined) continue;
      const user = users.get(segment.text) ?? unscannedUser(segment);
      users.set(segment.text, user);
      if (kind.text === "ledger") user.top = Math.max(user.top, streamItem(key)?.version ?? 0);
      else if (kind.text === "operations") pointers.push({ user, key });
      else if (trace?.isAt(key) === true) answers.push({ user, key });
    }
    indexed.push(...(await readFound(storage, pointers, operationPointer)));
    if (indexed.length >= FOLLOWED) await followPointers(storage, indexed.splice(0));
    for (const { user, value } of trace ? await readFound(storage, answers, trace.schema) : []) {
      user.answers.push(value.message_id);
    }
    await onKeys?.(batch);
  }
  await followPointers(storage, indexed);
  return users;
}

type Found = { readonly user: ScannedUser; readonly key: readonly EncodedSegment[] };

/** Reads values. One that cannot be read is damage of its user; one that was removed meanwhile is left out. */
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

/** An indexed operation must lead to the entry that it made; where it leads to none, that entry was lost. */
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

/** Damage that is found at a key, with the message of an error that names it. */
export function damageAt(entry: number | null, key: Key, reason: string): LedgerDamage {
  return { entry, message: new CorruptionError(printKey(key), reason).message };
}

/** The damage of the lower entry; damage of no entry comes last. */
export function firstDamage(one: LedgerDamage | undefined, other: LedgerDamage | undefined): LedgerDamage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (other.entry ?? Infinity) < (one.entry ?? Infinity) ? other : one;
}
