import type { Storage } from "../storage/storage.ts";
import { checksummed, ChecksumError, verifyChecksum } from "./checksummed-lines.ts";
import { storedValue, storedValues, type StoredValue } from "./storage-archive.ts";

const KIND = "storage";

/**
 * All values of a storage as JSON lines that end with a checksum.
 *
 * @param created_at ISO 8601
 * @param onDamage called for each damaged part of the storage; the rest is archived
 */
export function archiveLines(
  storage: Storage,
  created_at: string,
  onDamage: (message: string) => void,
): AsyncGenerator<string> {
  return checksummed(KIND, created_at, jsonLines(storedValues(storage, onDamage)));
}

async function* jsonLines(values: AsyncIterable<StoredValue>): AsyncGenerator<string> {
  for await (const value of values) yield JSON.stringify(value);
}

/**
 * The values of an archive's lines. The checksum is verified only after the last of them.
 *
 * @throws ChecksumError when the input was cut off or changed, or is not an archive
 */
export async function* archivedValues(lines: AsyncIterable<string>): AsyncGenerator<StoredValue> {
  for await (const { number, text } of verifyChecksum(KIND, lines)) yield parseLine(number, text);
}

function parseLine(number: number, text: string): StoredValue {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ChecksumError(`Line ${number}: ${(error as Error).message}.`);
  }
  const parsed = storedValue.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ChecksumError(`Line ${number} is not a line of a storage export: ${parsed.error.issues[0]!.message}.`);
}
