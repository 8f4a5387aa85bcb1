import { parseDocument, printKey, readEach } from "../storage/documents.ts";
import { CorruptionError, type StorageError } from "../storage/storage-errors.ts";
import { encodeSegment } from "../storage/keys.ts";
import type { EncodedSegment, Key, Storage } from "../storage/storage.ts";
import { openStream } from "../storage/stream.ts";
import { chainError } from "./chain.ts";
import { entry, type Entry } from "./entry.ts";
import { ledgerKey, operationKey, operationPointer } from "./ledger-keys.ts";
import type { LedgerDamage } from "./key-scan.ts";

/** How far a walk came, and what stopped it. */
export interface Walk {
  /** The last right entry. */
  readonly last: Entry | undefined;
  readonly fault: LedgerDamage | undefined;
}

const PAGE = 256;
/** Entries asked for at once past the last one known: others may append meanwhile. */
const BEYOND = 16;

/**
 * Walks a user's ledger from the first entry, in flat memory: every entry is well-formed and stored to the letter as it
 * was written, follows from the one before, and its operation, when it may come again, leads to it. Stops at the first
 * entry that is wrong.
 *
 * @param top number of an entry that is sure to be there: an absent one before it is a gap
 * @param visit is shown every right entry
 */
export async function walkLedger(
  storage: Storage,
  user: EncodedSegment,
  top: number,
  visit: (entry: Entry) => void = () => undefined,
): Promise<Walk> {
  const stream = openStream(storage, ledgerKey(user), entry);
  let last: Entry | undefined;
  /** `last`, when its operation was not yet indexed as it was looked up: that is right as long as it is the last. */
  let unindexed: Entry | undefined;

  for (;;) {
    const from = (last?.id ?? 0) + 1;
    const size = from > top ? BEYOND : Math.min(PAGE, top - from + 2);
    const keys = Array.from({ length: size }, (_, step) => stream.keyOf(from + step));
    const texts = await readEach(storage, keys);
    const { right, fault } = checkPage(keys, texts, last, user);
    if (right.length === 0 && fault === undefined) {
      if (from > top) return { last, fault: undefined };
      const message = `the entry is missing while entry ${top} exists`;
      return { last, fault: { entry: from, message: damaged(keys[0]!, message) } };
    }
    const pending = unindexed === undefined ? right : [unindexed, ...right];
    const followed = pending.length - (fault === undefined ? 1 : 0);
    const index = await checkIndex(storage, user, pending, followed);
    for (const item of right) {
      if (index.fault !== undefined && item.id >= index.fault.entry!) break;
      last = item;
      visit(item);
    }
    if (index.fault !== undefined || fault !== undefined) return { last, fault: index.fault ?? fault };
    unindexed = index.unindexed;
  }
}

/** The right entries of a page up to its first absent or wrong one. */
function checkPage(
  keys: readonly Key[],
  texts: readonly (string | undefined | StorageError)[],
  before: Entry | undefined,
  user: EncodedSegment,
): { right: Entry[]; fault: LedgerDamage | undefined } {
  const right: Entry[] = [];
  for (const [index, text] of texts.entries()) {
    if (text === undefined) break;
    const last = right.at(-1) ?? before;
    const fault = (message: string) => ({ right, fault: { entry: (last?.id ?? 0) + 1, message } });
    if (text instanceof Error) return fault(text.message);
    const key = keys[index]!;
    try {
      const found = parseDocument(key, text, entry)!;
      const wrong = chainError(found, last, last?.user_id ?? ownerOf(found, user));
      if (wrong !== undefined) return fault(damaged(key, wrong));
      if (JSON.stringify(found) !== text) return fault(damaged(key, "it is not as it was written"));
      right.push(found);
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
      return fault(error.message);
    }
  }
  return { right, fault: undefined };
}

/** The user whose ledger this is: the segment spells no other user's id. */
function ownerOf(found: Entry, user: EncodedSegment): string {
  return found.user_id !== "" && encodeSegment(found.user_id) === user.text ? found.user_id : user.text;
}

/**
 * Whoever made an entry saw to it first that the one before was indexed: so the operations of the first `followed`
 * entries lead to them. Those of the others may not lead anywhere yet, but nowhere else.
 */
async function checkIndex(
  storage: Storage,
  user: EncodedSegment,
  entries: readonly Entry[],
  followed: number,
): Promise<{ fault?: LedgerDamage; unindexed?: Entry }> {
  const repeatable = entries.flatMap((item, at) => (item.operation.repeatable ? [{ item, at }] : []));
  const keys = repeatable.map(({ item }) => operationKey(user, item.operation.id));
  const texts = await readEach(storage, keys);
  let unindexed: Entry | undefined;
  for (const [index, { item, at }] of repeatable.entries()) {
    const text = texts[index];
    const key = keys[index]!;
    const fault = (message: string) => ({ fault: { entry: item.id, message } });
    if (text instanceof Error) return fault(text.message);
    if (text === undefined) {
      if (at < followed) return fault(damaged(key, `the index of the operation of entry ${item.id} is missing`));
      unindexed = item;
      continue;
    }
    try {
      const { entry: to } = parseDocument(key, text, operationPointer)!;
      if (to !== item.id) return fault(damaged(key, `its entry is ${item.id}, but it is indexed as entry ${to}`));
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
      return fault(error.message);
    }
  }
  return unindexed === undefined ? {} : { unindexed };
}

function damaged(key: Key, reason: string): string {
  return new CorruptionError(printKey(key), reason).message;
}
