import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { checksummed } from "../../src/backup/checksummed-lines.ts";
import { archivedValues, storedValues, type StoredValue } from "../../src/backup/storage-archive.ts";
import { openStorage } from "../../src/storage/open-storage.ts";

const NOW = "2026-11-20T00:00:00.000Z";

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

it("reads back every value of a storage from the lines of its archive", async () => {
  const storage = await openStorage("memory:");
  await storage.put(["users", "Ümit/1", "profile"], '{"lang":"zh"}');
  await storage.put(["users", "bob", "profile"], '{"lang":"en"}\n');
  const lines = await collect(
    checksummed(
      "storage",
      NOW,
      storedValues(storage, () => undefined),
    ),
  );
  const values = await collect<StoredValue>(archivedValues(Readable.from(lines)));
  expect(values).toHaveLength(2);
  expect(values).toEqual(await collect(storedValues(storage)));
});

it.for([
  ["{", "Line 2: "],
  ['{"key":"a:..:b","value":""}', "Line 2 is not a line of a storage export: "],
] as const)("refuses the line %s although the checksum is right", async ([line, message]) => {
  const lines = checksummed("storage", NOW, Readable.from([line]));
  await expect(collect(archivedValues(lines))).rejects.toThrow(message);
});
