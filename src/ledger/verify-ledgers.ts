import { checkProfile, profileKey } from "../accounts/users.ts";
import { probe } from "../storage/documents.ts";
import { isOutage, EncodedSegment, type Key, type Storage } from "../storage/storage.ts";
import { decodeSegment, encodeKey, encodeSegment, missingItem } from "../storage/keys.ts";
import { type Entry, entryKey, ledgerKey } from "./entry.ts";
import { damageAt, firstDamage, scanUsers, newScannedUser } from "./scan-for-damage.ts";
import type { ChargeTrace, LedgerDamage, LedgerHooks, ScannedUser, WalkedEntries } from "./scan-for-damage.ts";
import { walkLedger } from "./walk-ledger.ts";

export interface Verification {
  readonly user_id: string;
  readonly entries: number; // Valid entries.
  readonly balance: number; // Points after the last valid entry.
  readonly head: string | null; // Hash of the last valid entry; null when there is none.
  readonly damage?: LedgerDamage; // The first damage; absent when the ledger is valid.
}

/** The ledger state at an earlier verification: a later one must find the same entries, and perhaps more. */
export type Receipt = Pick<Verification, "entries" | "head">;

export interface VerifyProgress {
  readonly keys: number; // Keys that were read, of all users.
  readonly users?: { readonly done: number; readonly all: number }; // Walked ledgers; absent during the key scan.
  readonly entries: number; // Entries that were walked, of all users.
}

export interface VerifyOptions {
  readonly users?: readonly string[] | undefined; // The users to verify; all by default.
  readonly profiles?: boolean; // Whether a user must have a profile.
  readonly trace?: ChargeTrace | undefined;
  readonly hooks?: LedgerHooks; // With them, all keys are scanned, unless one user is named.
  readonly receipts?: ReadonlyMap<string, Receipt> | undefined; // By user id.
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
}

/** Verifies ledgers: one scan of the keys of all users, then a walk over each ledger. It checks that every entry is
 * well-formed and stored byte for byte as it was written; numbers have no gap; each hash matches its entry and the one
 * before; deltas add up to the account, and nothing is negative; the index maps every repeatable operation to its
 * entry, and nothing else; the head hint is not past the end; every delivered answer was charged; every ledger has a
 * profile. Damage is reported per user; other users are still verified. A user without entries and profile is not
 * reported. Memory: some 12 bytes per delivered answer and indexed operation, and 50 more while its ledger is walked.
 * @throws StorageError when the storage does not answer */
export async function* verifyLedgers(storage: Storage, options: VerifyOptions = {}): AsyncGenerator<Verification> {
  const { users, profiles = true, trace, receipts = new Map<string, Receipt>(), hooks, onProgress } = options;
  const prefix: Key = users?.length === 1 ? ["users", users[0]!] : hooks === undefined ? ["users"] : [];
  let keys = 0;
  let entries = 0;
  let done = 0;
  const onKeys: LedgerHooks["onKeys"] = async (passed) => {
    keys += passed.length;
    onProgress?.({ keys, entries });
    await hooks?.onKeys(passed);
  };
  const scanned = await scanUsers(storage, prefix, { trace, onKeys });
  const named = new Map((users ?? [...receipts.keys()]).map((id) => [encodeSegment(id), id]));
  const segments = users === undefined ? new Set([...scanned.keys(), ...named.keys()]) : named.keys();
  const ordered = [...segments]
    .map((text) => scanned.get(text) ?? newScannedUser(new EncodedSegment(text)))
    .sort((one, other) => (nameOf(one.segment) < nameOf(other.segment) ? -1 : 1));
  const onEntries: LedgerHooks["onEntries"] = async (user, passed) => {
    entries += passed.texts.length;
    onProgress?.({ keys, entries, users: { done, all: ordered.length } });
    await hooks?.onEntries(user, passed);
  };
  for (const user of ordered) {
    const id = named.get(user.segment.text);
    const receipt = id === undefined ? undefined : receipts.get(id);
    const verification = await verifyUser(storage, user, { onEntries, profiles, receipt, id });
    [user.answers, user.indexed] = [[], []];
    if (verification !== undefined) yield verification;
    done += 1;
  }
}

const nameOf = (segment: EncodedSegment): string => decodeSegment(segment) ?? segment.text;

type Verifying = Pick<LedgerHooks, "onEntries"> & Required<Pick<VerifyOptions, "profiles">> & Expected;
type Expected = { readonly receipt: Receipt | undefined; readonly id: string | undefined };

async function verifyUser(storage: Storage, user: ScannedUser, { onEntries, profiles, receipt, id }: Verifying) {
  const { segment } = user;
  let { damage } = user;
  const note = (found: LedgerDamage | undefined): void => void (damage = firstDamage(damage, found));
  let last: Entry | undefined;
  let user_id = id ?? nameOf(segment);
  try {
    let passed: string | null = null;
    const charges = createCharges(user.answers);
    const walk = await walkLedger(storage, user, async (owner, entries) => {
      const known = receipt && entries.texts[receipt.entries - entries.first];
      if (known !== undefined) passed = (JSON.parse(known) as Entry).hash;
      charges.add(entries);
      await onEntries(owner, entries);
    });
    last = walk.last;
    user_id = last?.user_id ?? user_id;
    note(walk.damage);
    const end = last?.id ?? 0;
    if (walk.damage === undefined) {
      note(await hintDamage(storage, segment, end));
      note(await endDamage(storage, segment, end));
      note(charges.damage(end));
      if (receipt !== undefined) note(receiptDamage(receipt, end, passed));
    }
    const profile = await profileOf(storage, segment);
    if (typeof profile === "object") note(profile);
    else if (profile !== undefined) user_id = profile;
    else if (end === 0 && damage === undefined) return undefined;
    else if (profiles) note({ entry: null, message: "the ledger exists, but the user's profile is missing" });
  } catch (error) {
    if (isOutage(error)) await probe(storage);
    note({ entry: null, message: `it could not be verified: ${(error as Error).message}` });
  }
  const verified = { user_id, entries: last?.id ?? 0, balance: last?.account.balance ?? 0, head: last?.hash ?? null };
  return damage === undefined ? verified : { ...verified, damage };
}

/** Damage when the storage knows of an entry after the end: see `Storage.laterItem`. */
async function endDamage(storage: Storage, user: EncodedSegment, end: number): Promise<LedgerDamage | undefined> {
  const stem = new EncodedSegment(encodeKey(ledgerKey(user)));
  const isOver = (await storage.laterItem(stem, end)) === undefined || (await storage.has(entryKey(user, end + 1)));
  return isOver ? undefined : { entry: end + 1, message: missingItem(stem, end + 1).message };
}

/** The hint may lag behind, but the entry it names must exist. */
async function hintDamage(storage: Storage, user: EncodedSegment, end: number): Promise<LedgerDamage | undefined> {
  const key: Key = [...ledgerKey(user), "head"];
  const text = await storage.get(key);
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,15}$/.test(text)) return damageAt(null, key, "it is not the number of an entry");
  const hint = Number(text);
  const at = entryKey(user, hint);
  if (hint <= end || (await storage.has(at))) return undefined; // It may have been appended since the end was read.
  return damageAt(end + 1, at, `the entry is missing while the hint of the head points to ${hint}`);
}

function createCharges(answers: readonly number[]) {
  /** The entry that charged for each answer, in the order of their ids; 0 for none. */
  const entries = new Map(answers.toSorted((one, other) => one - other).map((id) => [id, 0]));
  return {
    add({ first, charged }: WalkedEntries): void {
      for (const [index, answer] of charged.entries()) {
        // An answer may be charged and not delivered.
        if (answer !== null && entries.has(answer)) entries.set(answer, first + index);
      }
    },
    damage(end: number): LedgerDamage | undefined {
      let message: string | undefined;
      for (const [answer, entry] of entries) {
        if (entry === 0) message ??= `the entry that charged for the answer ${answer}, which was delivered, is missing`;
        // Ids of answers grow with time: the next one's entry has the number of the missing one, or a later one.
        else if (message !== undefined)
          return { entry, message: `${message}, while this one charges for a later answer` };
      }
      return message === undefined ? undefined : { entry: end + 1, message };
    },
  };
}

function receiptDamage({ entries, head }: Receipt, end: number, passed: string | null): LedgerDamage | undefined {
  if (end < entries)
    return { entry: end + 1, message: `the entry is missing: an earlier verification found ${entries} entries` };
  if (entries === 0 || passed === head) return undefined;
  return { entry: entries, message: "the entry is another one than at an earlier verification" };
}

async function profileOf(storage: Storage, user: EncodedSegment): Promise<string | LedgerDamage | undefined> {
  const key = profileKey(user);
  const profile = checkProfile(key, await storage.get(key));
  return profile instanceof Error ? { entry: null, message: profile.message } : profile?.user_id;
}
