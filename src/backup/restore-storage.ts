import { entry, operationKey } from "../ledger/entry.ts";
import { batchesOf } from "../runtime/batches.ts";
import { checkDocument, printKey } from "../storage/documents.ts";
import { EncodedSegment, type Storage } from "../storage/storage.ts";
import { streamItem, UNFINISHED_IMPORT } from "../storage/keys.ts";
import type { StoredValue } from "./storage-archive.ts";

const BATCH = { values: 256, characters: 4 * 1024 * 1024 } as const;

/** The progress of a restore; `present` are values that an interrupted one had stored already. */
export type RestoreProgress = { values: number; present: number };

class StorageNotEmptyError extends Error {
  override readonly name = "StorageNotEmptyError";
}

/** Restores values into an empty storage, unusable until `UNFINISHED_IMPORT` is removed; if interrupted, run it again.
 * @throws StorageNotEmptyError for a value that no earlier attempt stored, and a stream's item that differs */
export async function restoreStorage(
  storage: Storage,
  source: AsyncIterable<StoredValue>,
  progress: RestoreProgress,
  onProgress: () => void = () => undefined,
): Promise<void> {
  if (!(await storage.has(UNFINISHED_IMPORT))) {
    for await (const key of storage.keys([]))
      throw new StorageNotEmptyError(`The storage ${storage.url} is not empty: it has ${printKey(key)}.`);
    await storage.put(UNFINISHED_IMPORT, "{}");
  }
  let last: StoredValue[] = [];
  const shareOf = ({ value }: StoredValue): number => value.length / BATCH.characters;
  for await (const batch of batchesOf(source, BATCH.values, shareOf)) {
    await storeBatch(storage, batch, progress);
    await indexFollowed(storage, [...last, ...batch]);
    onProgress();
    last = batch.slice(-1);
  }
}

async function storeBatch(storage: Storage, batch: readonly StoredValue[], progress: RestoreProgress): Promise<void> {
  const keys = batch.map(({ key }) => segmentsOf(key));
  const creating = batch.map(async ({ value }, index) => {
    const isNew = await storage.create(keys[index]!, value);
    progress.values += 1;
    if (!isNew) progress.present += 1;
    return isNew;
  });
  await Promise.allSettled(creating); // Stored values count even if another one fails.
  const created = await Promise.all(creating);
  const texts = await storage.getMany(keys);
  for (const [index, { value }] of batch.entries()) {
    const key = keys[index]!;
    if (texts[index] === value) continue;
    if (created[index] !== false || streamItem(key) !== undefined) {
      const place = `a different value at ${printKey(key)}`;
      throw new StorageNotEmptyError(`The storage ${storage.url} has ${place}. Start with an empty one.`);
    }
    await storage.put(key, value); // A document may have changed between two attempts: the later value wins.
  }
}

/** Indexes each operation whose entry has a successor, as a writer would: the archive may lack the newest pointers. */
async function indexFollowed(storage: Storage, values: readonly StoredValue[]): Promise<void> {
  const indexed = values.slice(1).map(async (next, index) => {
    const { key, value } = values[index]!;
    const place = ledgerItem(key);
    const following = ledgerItem(next.key);
    if (following === undefined || following.stem.text !== place?.stem.text) return;
    const found = checkDocument(segmentsOf(key), value, entry);
    if (following.version !== place.version + 1 || found instanceof Error || !found?.operation.repeatable) return;
    await storage.create(operationKey(place.user, found.operation.id), JSON.stringify({ entry: found.id }));
  });
  await Promise.all(indexed);
}

function ledgerItem(key: string) {
  const [root, user, kind] = segmentsOf(key);
  const item = root?.text === "users" && kind?.text === "ledger" ? streamItem(segmentsOf(key)) : undefined;
  return item === undefined ? undefined : { ...item, user: user! };
}

const segmentsOf = (key: string): EncodedSegment[] => key.split(":").map((text) => new EncodedSegment(text));
