import { invalid } from "../../contract/errors.ts";
import { CorruptionError, StorageError } from "../../storage/storage-errors.ts";
import type { Storage } from "../../storage/storage.ts";
import { openStream, type Stream } from "../../storage/stream.ts";
import { formatAddress, isDay } from "./event-address.ts";
import { batch, type AddressedEvent, type Batch } from "../event.ts";

/** Bounds of one batch, so that a reader can hold several of them in memory. */
export const BATCH_LIMITS = { events: 512, bytes: 256 * 1024 } as const;

const PAGE = { least: 16, most: 256, events: 512 } as const;

/** UTC days as `2026-11-20`, both included; without a bound the range reaches as far as the log. */
export interface DayRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The log of one UTC day: a stream of batches. */
export type DayLog = Stream<Batch>;

/** Opens the log of a UTC day. */
export function openDay(storage: Storage, day: string): DayLog {
  return openStream(storage, ["events", day], batch);
}

/**
 * Appends the batch as number `last + 1`. An error is retried once at the same number: if only the reply was lost, the
 * batch under that number is ours.
 *
 * @returns false when another writer's batch has that number
 * @throws StorageError when the retry fails too; it is unknown then whether the batch was stored
 */
export async function appendBatch(log: DayLog, last: number, own: Batch): Promise<boolean> {
  try {
    if ((await log.append(last, own)) === "appended") return true;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    if ((await log.append(last, own)) === "appended") return true;
  }
  try {
    const stored = await log.get(last + 1);
    // The batch id is not enough: two processes with the same seed make the same ids.
    return stored?.batch_id === own.batch_id && JSON.stringify(stored) === JSON.stringify(batch.parse(own));
  } catch (error) {
    // A batch is created as a whole, so a damaged one is not the one just written.
    if (error instanceof CorruptionError) return false;
    throw error;
  }
}

/**
 * Whether a log still holds the batches that were read up to a number. A server that fails over may lose the end of a
 * log, and other writers may have continued from there.
 *
 * @param batchId of the batch with that number
 */
export async function isUnchanged(log: DayLog, version: number, batchId: string | undefined): Promise<boolean> {
  return version === 0 || (await log.get(version))?.batch_id === batchId;
}

/**
 * The batches after number `version` in order, up to the head. One read when there are none.
 *
 * @throws CorruptionError that names the key of a damaged or missing batch
 */
export async function* batchesAfter(log: DayLog, version: number): AsyncGenerator<{ version: number; batch: Batch }> {
  let read = version;
  let size: number = PAGE.least;
  // Never past the head: a page that is appended to while it is read would seem to have a gap.
  for (let head = await log.head(read); head > read; head = await log.head(read)) {
    while (read < head) {
      const page = await log.read(read + 1, Math.min(head, read + size));
      let events = 0;
      for (const item of page) {
        read += 1;
        events += item.events.length;
        yield { version: read, batch: item };
      }
      // A batch holds one event or hundreds: the page size adapts so that memory stays bounded.
      size = events < PAGE.events ? Math.min(PAGE.most, size * 2) : Math.max(PAGE.least, size / 2);
      if (page.length === 0) return;
    }
  }
}

/**
 * The days of the range that have a log, in order. It lists the storage, so no request may wait for it.
 *
 * @throws AnpError 422 when a bound of the range is not a day
 */
export async function listDays(storage: Storage, { from, to }: DayRange): Promise<string[]> {
  for (const [path, value] of Object.entries({ from, to })) {
    if (value !== undefined && !isDay(value)) {
      throw invalid([{ in: "query", path, message: "must be a day such as 2026-11-20" }]);
    }
  }
  const days: string[] = [];
  for await (const { text } of storage.children(["events"])) {
    if (isDay(text) && (from === undefined || text >= from) && (to === undefined || text <= to)) days.push(text);
  }
  return days.sort();
}

/**
 * The events of the range with their addresses, in the order of the log: by day, then as they were appended.
 *
 * @throws CorruptionError that names the key of a damaged batch
 */
export async function* loggedEvents(storage: Storage, range: DayRange): AsyncGenerator<AddressedEvent> {
  for (const day of await listDays(storage, range)) {
    for await (const { version, batch: item } of batchesAfter(openDay(storage, day), 0)) {
      for (const [index, event] of item.events.entries()) {
        yield { event_id: formatAddress(day, version, index), ...event };
      }
    }
  }
}
