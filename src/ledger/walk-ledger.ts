import { checkDocument, readEach } from "../storage/documents.ts";
import { encodeSegment } from "../storage/keys.ts";
import type { EncodedSegment, Key, Storage } from "../storage/storage.ts";
import { Stream } from "../storage/stream.ts";
import { chainError } from "./chain.ts";
import { entry, type Entry, ledgerKey, operationKey, operationPointer } from "./entry.ts";
import { damageAt } from "./scan-for-damage.ts";

const PAGE = 256;
const BEYOND = 16; // Entries read at once past the last known one: others may append meanwhile.

/** Walks a user's ledger from the first entry, in flat memory. Every entry must be well-formed, stored byte for byte as
 * it was written, and follow from the one before; the index must lead from its operation, when that is repeatable, to
 * it. Stops at the first invalid entry.
 * @param top number of an entry that exists: a missing one before it is a gap
 * @param visit is called with every valid entry
 * @returns the last valid entry, and the damage that stopped the walk */
export async function walkLedger(storage: Storage, user: EncodedSegment, top: number, visit: (entry: Entry) => void) {
  const stream = new Stream(storage, ledgerKey(user), entry);
  let last: Entry | undefined;
  /** `last`, when its operation was not indexed yet when it was looked up: valid as long as it is the last. */
  let unindexed: Entry | undefined;

  for (;;) {
    const from = (last?.id ?? 0) + 1;
    const size = from > top ? BEYOND : Math.min(PAGE, top - from + 2);
    const keys = Array.from({ length: size }, (_, step) => stream.keyOf(from + step));
    const texts = await readEach(storage, keys);
    const { valid, damage } = checkPage(keys, texts, last, user);
    if (valid.length === 0 && damage === undefined) {
      if (from > top) return { last, damage: undefined };
      return { last, damage: damageAt(from, keys[0]!, `the entry is missing while entry ${top} exists`) };
    }
    const pending = unindexed === undefined ? valid : [unindexed, ...valid];
    const followed = pending.length - (damage === undefined ? 1 : 0);
    const index = await checkIndex(storage, user, pending, followed);
    for (const item of valid) {
      if (index.damage !== undefined && item.id >= index.damage.entry!) break;
      last = item;
      visit(item);
    }
    if (index.damage !== undefined || damage !== undefined) return { last, damage: index.damage ?? damage };
    unindexed = index.unindexed;
  }
}

type Texts = Awaited<ReturnType<typeof readEach>>;

function checkPage(keys: readonly Key[], texts: Texts, before: Entry | undefined, user: EncodedSegment) {
  const valid: Entry[] = [];
  for (const [index, text] of texts.entries()) {
    const last = valid.at(-1) ?? before;
    const number = (last?.id ?? 0) + 1;
    const key = keys[index]!;
    const found = checkDocument(key, text, entry);
    if (found === undefined) break;
    if (found instanceof Error) return { valid, damage: { entry: number, message: found.message } };
    const error =
      chainError(found, last, last?.user_id ?? ownerOf(found, user)) ??
      (JSON.stringify(found) === text ? undefined : "it is not as it was written");
    if (error !== undefined) return { valid, damage: damageAt(number, key, error) };
    valid.push(found);
  }
  return { valid, damage: undefined };
}

/** The user whose ledger this is: the id in the entry, if it encodes to the segment. */
const ownerOf = (found: Entry, user: EncodedSegment): string =>
  found.user_id !== "" && encodeSegment(found.user_id) === user.text ? found.user_id : user.text;

/** A writer indexes the entry before its own first: the operations of the first `followed` entries must be indexed. */
async function checkIndex(storage: Storage, user: EncodedSegment, entries: readonly Entry[], followed: number) {
  const repeatable = entries.flatMap((item, at) => (item.operation.repeatable ? [{ item, at }] : []));
  const keys = repeatable.map(({ item }) => operationKey(user, item.operation.id));
  const texts = await readEach(storage, keys);
  let unindexed: Entry | undefined;
  for (const [index, { item, at }] of repeatable.entries()) {
    const { id } = item;
    const key = keys[index]!;
    const pointer = checkDocument(key, texts[index], operationPointer);
    if (pointer instanceof Error) return { damage: { entry: id, message: pointer.message } };
    if (pointer === undefined && at < followed) {
      return { damage: damageAt(id, key, `the index of the operation of entry ${id} is missing`) };
    }
    if (pointer === undefined) unindexed = item;
    else if (pointer.entry !== id) {
      return { damage: damageAt(id, key, `its entry is ${id}, but it is indexed as entry ${pointer.entry}`) };
    }
  }
  return { unindexed };
}
