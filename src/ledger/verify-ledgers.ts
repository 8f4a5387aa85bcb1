import { userProfile } from "../accounts/users.ts";
import { parseDocument, printKey, probe } from "../storage/documents.ts";
import { CorruptionError, isOutage } from "../storage/storage-errors.ts";
import { decodeSegment, encodeSegment } from "../storage/keys.ts";
import { EncodedSegment, type Key, type Storage } from "../storage/storage.ts";
import type { Entry } from "./entry.ts";
import { entryKey, ledgerKey } from "./ledger-keys.ts";
import {
  firstDamage,
  scanDeliveries,
  scanUsers,
  type ChargeTrace,
  type LedgerDamage,
  type ScannedUser,
} from "./key-scan.ts";
import { walkLedger } from "./walk-ledger.ts";

/** The result of verifying one user's ledger. */
export interface Verification {
  readonly user_id: string;
  /** Valid entries. */
  readonly entries: number;
  /** Points after the last valid entry. */
  readonly balance: number;
  /** Hash of the last valid entry; null when there is none. */
  readonly head: string | null;
  /** The first damage; absent when the ledger is valid. */
  readonly damage?: LedgerDamage;
}

/** The ledger state of an earlier verification: no ledger may be shorter, or another one, later. */
export type Receipt = Pick<Verification, "entries" | "head">;

/** The progress of a verification. */
export interface VerifyProgress {
  /** Keys that were read, of all users. */
  readonly keys: number;
  /** Users whose ledger was walked, and how many there are; absent before the walks. */
  readonly users?: { readonly done: number; readonly all: number };
  /** Entries that were walked, of all users. */
  readonly entries: number;
}

export interface VerifyOptions {
  /** The users to verify; all by default. */
  readonly users?: readonly string[] | undefined;
  /** Whether a user must have a profile. */
  readonly profiles?: boolean;
  readonly trace?: ChargeTrace | undefined;
  /** How many delivered answers are held at once, 12 bytes each; a million by default. */
  readonly room?: number;
  /** By user id. */
  readonly receipts?: ReadonlyMap<string, Receipt> | undefined;
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
}

const ROOM = 1_000_000;

/**
 * Verifies ledgers in flat memory: one pass over the keys of all users, then a walk over each ledger. Every entry is
 * well-formed and stored byte for byte as it was written; numbers have no gap; each hash fits its entry and the one
 * before; deltas add up to the account, and nothing is negative; the index leads from every repeatable operation to its
 * entry, and nowhere else; the hint of the head does not point past the end; every answer in a session was charged; a
 * ledger has a profile. Damage is reported per user, and the other users are verified all the same. A user who has
 * neither entries nor a profile is not reported.
 *
 * Delivered answers are compared one by one with the charged ones. Where there are more of them than `room`, the users
 * are verified in portions whose answers fit, and the keys are read once more for each portion. A user with more answers
 * than `room` is a portion of their own, at 24 bytes an answer.
 *
 * @throws StorageError when the storage does not answer
 */
export async function* verifyLedgers(storage: Storage, options: VerifyOptions = {}): AsyncGenerator<Verification> {
  const { users, profiles = true, trace, room = ROOM, receipts = new Map<string, Receipt>(), onProgress } = options;
  const prefix: Key = users?.length === 1 ? ["users", users[0]!] : ["users"];
  let keys = 0;
  let entries = 0;
  let done = 0;
  const scan = await scanUsers(storage, prefix, {
    trace,
    room,
    onKeys(count) {
      keys = count;
      onProgress?.({ keys, entries });
    },
  });
  const named = new Map((users ?? [...receipts.keys()]).map((id) => [encodeSegment(id), id]));
  const segments = users === undefined ? new Set([...scan.users.keys(), ...named.keys()]) : named.keys();
  const ordered = inOrder([...segments].map((text) => scan.users.get(text) ?? emptyUser(new EncodedSegment(text))));
  const report = (): void => onProgress?.({ keys, entries, users: { done, all: ordered.length } });
  const count = (): void => {
    entries += 1;
    if (entries % 256 === 0) report();
  };
  for (const portion of scan.deliveries === undefined ? portionsOf(ordered, room) : [ordered]) {
    const deliveries =
      scan.deliveries ?? (await scanDeliveries(storage, prefix, { users: portion, trace, onKeys: report }));
    for (const user of portion) {
      const id = named.get(user.segment.text);
      const receipt = id === undefined ? undefined : receipts.get(id);
      const delivered = deliveries.of(user);
      const verification = await verifyUser(storage, user, { count, profiles, delivered, receipt, id });
      if (verification !== undefined) yield verification;
      done += 1;
    }
  }
}

/** Verifies the ledger of one user, who need not have a profile. */
export async function verifyLedger(storage: Storage, user: string): Promise<Verification> {
  for await (const found of verifyLedgers(storage, { users: [user], profiles: false })) return found;
  return { user_id: user, entries: 0, balance: 0, head: null };
}

function emptyUser(segment: EncodedSegment): ScannedUser {
  return { segment, top: 0, traces: 0, damage: undefined };
}

function inOrder(users: readonly ScannedUser[]): ScannedUser[] {
  return users.toSorted((one, other) => (nameOf(one.segment) < nameOf(other.segment) ? -1 : 1));
}

/** The users in order, each portion with as many as their traces leave room for. */
function portionsOf(users: readonly ScannedUser[], room: number): ScannedUser[][] {
  const portions: ScannedUser[][] = [];
  let left = 0;
  for (const user of users) {
    if (portions.length === 0 || user.traces > left) {
      portions.push([]);
      left = room;
    }
    portions.at(-1)!.push(user);
    left = Math.max(0, left - user.traces);
  }
  return portions;
}

function nameOf(segment: EncodedSegment): string {
  return decodeSegment(segment) ?? segment.text;
}

/** The parameters of one user's verification. */
interface UserOptions {
  /** Is called for each valid entry. */
  readonly count: () => void;
  readonly profiles: boolean;
  /** Ids of delivered answers, ascending, each once. */
  readonly delivered: Float64Array;
  readonly receipt: Receipt | undefined;
  /** The user's id, if the caller knows it. */
  readonly id: string | undefined;
}

async function verifyUser(
  storage: Storage,
  scanned: ScannedUser,
  options: UserOptions,
): Promise<Verification | undefined> {
  const { segment } = scanned;
  const { receipt } = options;
  let damage = scanned.damage;
  const note = (found: LedgerDamage | undefined): void => {
    damage = firstDamage(damage, found);
  };
  let last: Entry | undefined;
  let user_id = options.id ?? nameOf(segment);
  try {
    let passed: string | null = null;
    const charges = createCharges(options.delivered);
    const walk = await walkLedger(storage, segment, scanned.top, (entry) => {
      if (entry.id === receipt?.entries) passed = entry.hash;
      charges.add(entry);
      options.count();
    });
    last = walk.last;
    user_id = last?.user_id ?? user_id;
    note(walk.damage);
    const end = last?.id ?? 0;
    if (walk.damage === undefined) {
      note(await hintDamage(storage, segment, end));
      note(charges.damage(end));
      if (receipt !== undefined) note(receiptDamage(receipt, end, passed));
    }
    const profile = await profileOf(storage, segment);
    if (typeof profile === "object") note(profile);
    else if (profile !== undefined) user_id = profile;
    else if (end === 0 && damage === undefined) return undefined;
    else if (options.profiles) note({ entry: null, message: "the ledger exists, but the user's profile is missing" });
  } catch (error) {
    if (isOutage(error)) await probe(storage);
    note({ entry: null, message: `it could not be verified: ${(error as Error).message}` });
  }
  const head = last?.hash ?? null;
  const verified = { user_id, entries: last?.id ?? 0, balance: last?.account.balance ?? 0, head };
  return damage === undefined ? verified : { ...verified, damage };
}

/** The hint may lag behind, but the entry it names must exist. */
async function hintDamage(storage: Storage, user: EncodedSegment, end: number): Promise<LedgerDamage | undefined> {
  const key: Key = [...ledgerKey(user), "head"];
  const text = await storage.get(key);
  if (text === undefined) return undefined;
  const hint = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(hint)) {
    return { entry: null, message: new CorruptionError(printKey(key), "it is not the number of an entry").message };
  }
  const at = entryKey(user, hint);
  // It may have been appended since the end was read.
  if (hint <= end || (await storage.has(at))) return undefined;
  const message = `the entry is missing while the hint of the head points to ${hint}`;
  return { entry: end + 1, message: new CorruptionError(printKey(at), message).message };
}

/**
 * Compares the delivered answers with the charged ones.
 *
 * @param delivered ids of answers, ascending, each once
 */
function createCharges(delivered: Float64Array): {
  add(entry: Entry): void;
  damage(end: number): LedgerDamage | undefined;
} {
  /** Per answer, the entry that charged for it; 0 for none. */
  const entries = new Uint32Array(delivered.length);
  return {
    add({ id, details }) {
      if (details.type !== "chat_cost") return;
      const at = indexOf(delivered, details.message_id);
      // What was charged need not have been delivered.
      if (delivered[at] === details.message_id) entries[at] = id;
    },
    damage(end) {
      const at = entries.indexOf(0);
      if (at < 0) return undefined;
      const message = `the entry that charged for the answer ${delivered[at]}, which was delivered, is missing`;
      // Ids of answers grow with time: the next one's entry has the number of the missing one, or a later one.
      const next = entries.subarray(at).find((entry) => entry > 0);
      if (next === undefined) return { entry: end + 1, message };
      return { entry: next, message: `${message}, while this one charges for a later answer` };
    },
  };
}

/** Index of the first of ascending numbers that is not below `wanted`. */
function indexOf(numbers: Float64Array, wanted: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (numbers[middle]! < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

function receiptDamage(receipt: Receipt, end: number, passed: string | null): LedgerDamage | undefined {
  const { entries, head } = receipt;
  if (end < entries) {
    return {
      entry: end + 1,
      message: `the entry is missing: an earlier verification found ${entries} entries`,
    };
  }
  if (entries === 0 || passed === head) return undefined;
  return { entry: entries, message: "the entry is another one than at an earlier verification" };
}

/** The user's id in the profile, or the profile's damage. */
async function profileOf(storage: Storage, user: EncodedSegment): Promise<string | LedgerDamage | undefined> {
  const key: Key = ["users", user, "profile"];
  const text = await storage.get(key);
  if (text === undefined) return undefined;
  try {
    const { user_id } = parseDocument(key, text, userProfile)!;
    if (encodeSegment(user_id) === user.text) return user_id;
    return { entry: null, message: new CorruptionError(printKey(key), `it is the profile of ${user_id}`).message };
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error;
    return { entry: null, message: error.message };
  }
}
