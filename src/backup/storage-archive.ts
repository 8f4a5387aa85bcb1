import { z } from "zod";
import { batchesOf } from "../runtime/batches.ts";
import { parseOrError } from "../runtime/json/parse-json.ts";
import { printKey, readOrDamage } from "../storage/documents.ts";
import { encodeKey, isEncodedKey, itemKey, missingItem, streamItem } from "../storage/keys.ts";
import { CorruptionError, EncodedSegment, catchDamage, type Key, type Storage } from "../storage/storage.ts";
import { ChecksumError, verifyChecksum } from "./checksummed-lines.ts";

const foreign = (key: unknown): string => `${JSON.stringify(key)} is not a key that anp writes`;

/** One value of a storage: its encoded key, and the text as it is stored. */
export const storedValue = z.strictObject({
  key: z.string().refine(isEncodedKey, { error: ({ input }) => foreign(input) }),
  value: z.string(),
});

export type StoredValue = z.infer<typeof storedValue>;

const OWN: ReadonlySet<string> = new Set(["ready", "import"]); // About the storage itself: no archive holds them.
const BATCH = 256;
type Wanted = (key: readonly EncodedSegment[]) => boolean;
type OnDamage = (message: string) => void;

/** The values of an archive's lines. The checksum is verified only after the last of them.
 * @throws ChecksumError when the input was cut off or changed, or is not an archive */
export async function* archivedValues(lines: AsyncIterable<string>): AsyncGenerator<StoredValue> {
  for await (const { number, value } of verifyChecksum("storage", lines)) {
    const parsed = storedValue.safeParse(value);
    const reason = parsed.error?.issues[0]!.message;
    if (!parsed.success) throw new ChecksumError(`Line ${number} is not a line of a storage export: ${reason}.`);
    yield parsed.data;
  }
}

/** All values of a storage, in constant memory. The order of the passes over its keys keeps the archive consistent
 * while daemons write to the storage: first the values that point to ledger entries, then the streams, each from its
 * first item to its last, then the values that entries point to. So no ledger has a gap, no operation points to a
 * missing entry, and no entry lacks its answer. Each ledger is complete as of a moment of its own, up to the last entry
 * that its head or an operation leads to: that number is remembered for each user.
 * @param onDamage called for a gap in a stream (later items are kept), a lost end, and each damaged or foreign value */
export async function* storedValues(storage: Storage, onDamage: OnDamage = () => undefined) {
  const isPointer: Wanted = (key) =>
    key[2]?.text === "operations" || key[2]?.text === "sessions" || key.at(-1)!.text === "head";
  const tops = new Map<string, number>(); // By ledger.
  for await (const found of values(storage, (key) => isPointer(key) && streamItem(key) === undefined, onDamage)) {
    const [, user] = /^(users:[^:]+):(?:operations:[^:]+|ledger:head)$/.exec(found.key) ?? [];
    const entry = Number(/^(?:\{"entry":)?([1-9]\d{0,15})\}?$/.exec(found.value)?.[1] ?? 0);
    if (user !== undefined && entry > (tops.get(`${user}:ledger`) ?? 0)) tops.set(`${user}:ledger`, entry);
    yield found;
  }
  yield* streams(storage, isPointer, onDamage);
  yield* streams(storage, (key) => !isPointer(key), onDamage);
  const checkTop = async ([ledger, top]: [string, number]): Promise<void> => {
    const stem = new EncodedSegment(ledger);
    if (!(await storage.has(itemKey(stem, top)))) onDamage(missingItem(stem, top).message);
  };
  for await (const some of batchesOf(tops, BATCH)) await Promise.all(some.map(checkTop));
  yield* values(storage, (key) => !isPointer(key) && streamItem(key) === undefined, onDamage);
}

async function* values(storage: Storage, wanted: Wanted, onDamage: OnDamage): AsyncGenerator<StoredValue> {
  for await (const keys of batchesOf(keysOf(storage, wanted, onDamage), BATCH)) {
    const streams = keys.flatMap((key) => streamShownBy(key) ?? []);
    await Promise.all(streams.map((stem) => reportLostEnd(storage, stem, 1, onDamage)));
    for (const found of await valuesOf(storage, keys)) {
      if (found instanceof CorruptionError) onDamage(found.message);
      else if (found !== undefined) yield found;
    }
  }
}

/** The stream that a key implies, even if all items of the stream are lost: a profile implies a ledger. */
function streamShownBy(key: readonly EncodedSegment[]): EncodedSegment | undefined {
  const [last, above] = [key.at(-1)!.text, key.slice(0, -1)];
  if (last === "profile") return new EncodedSegment(encodeKey([...above, "ledger"]));
  return last === "head" && above.at(-1)!.text !== "ledger" ? new EncodedSegment(encodeKey(above)) : undefined;
}

/** The items of streams: each run from the item that has no predecessor. */
async function* streams(storage: Storage, wanted: Wanted, onDamage: OnDamage): AsyncGenerator<StoredValue> {
  const items = keysOf(storage, (key) => wanted(key) && streamItem(key) !== undefined, onDamage);
  for await (const keys of batchesOf(items, BATCH)) {
    const places = keys.map((key) => streamItem(key)!);
    const listed = new Set(keys.map(encodeKey));
    const isAfter = async ({ stem, version }: (typeof places)[number]): Promise<boolean> => {
      const before = itemKey(stem, version - 1);
      return version > 1 && (listed.has(encodeKey(before)) || storage.has(before));
    };
    const follows = await Promise.all(places.map(isAfter));
    for (const [index, { stem, version }] of places.entries()) {
      if (follows[index] === true) continue;
      if (version > 1) onDamage(`${printKey(itemKey(stem, version - 1))} is missing while a later item exists.`);
      yield* itemsFrom(storage, stem, version, onDamage);
    }
  }
}

async function* itemsFrom(storage: Storage, stem: EncodedSegment, from: number, onDamage: OnDamage) {
  for (let next = from; ;) {
    const keys = Array.from({ length: BATCH }, (_, step) => itemKey(stem, next + step));
    for (const found of await valuesOf(storage, keys)) {
      if (found === undefined) return reportLostEnd(storage, stem, next, onDamage);
      if (found instanceof CorruptionError) onDamage(found.message);
      else yield found;
      next += 1;
    }
  }
}

/** Reports item number `next` as lost if the storage has a trace of it or of a later one. */
async function reportLostEnd(storage: Storage, stem: EncodedSegment, next: number, onDamage: OnDamage): Promise<void> {
  const last = await catchDamage(storage.laterItem(stem, next - 1), () => undefined);
  const isThere = (version: number): Promise<boolean> => storage.has(itemKey(stem, version));
  if (last !== undefined && !(await isThere(last)) && !(await isThere(next))) onDamage(missingItem(stem, next).message);
}

/** The values of some keys. One that is not JSON was cut off or overwritten, but for vectors and patches of snapshots. */
async function valuesOf(storage: Storage, keys: readonly Key[]) {
  const texts = await readOrDamage(storage, keys);
  return texts.map((value, index) => {
    if (typeof value !== "string") return value;
    const key = encodeKey(keys[index]!);
    const isOther = key.startsWith("vectors:") ? value !== "" : key.startsWith("news:snapshot:") && value[0] === "@";
    const parsed = isOther ? undefined : parseOrError(value);
    return parsed instanceof Error ? new CorruptionError(printKey(keys[index]!), parsed.message) : { key, value };
  });
}

async function* keysOf(storage: Storage, wanted: Wanted, onDamage: OnDamage): AsyncGenerator<EncodedSegment[]> {
  for await (const key of storage.keys([])) {
    if (OWN.has(key[0]!.text) || !wanted(key)) continue;
    if (isEncodedKey(encodeKey(key))) yield key;
    else onDamage(`${foreign(encodeKey(key))}.`);
  }
}
