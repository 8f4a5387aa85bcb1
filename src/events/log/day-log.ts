import { setImmediate } from "node:timers/promises";
import { catchDamage, catchError, type Storage } from "../../storage/storage.ts";
import { type OnSkipped, Stream } from "../../storage/stream.ts";
import { DAY_MS, isDay } from "../../runtime/clock.ts";
import { batch, type Batch } from "../event.ts";

/** Bounds of one batch, so that a reader can hold several of them in memory. */
export const BATCH_LIMITS = { events: 512, bytes: 256 * 1024 } as const;
/** Instants, ms since the epoch, both included; without a bound the range reaches as far as the log. */
export type TimeRange = { readonly from?: number | undefined; readonly to?: number | undefined };

/** A batch of a day's log by number and batch id. After a failover another batch may have the same number. */
export interface LogPosition {
  readonly since: number; // 0 for the beginning.
  readonly mark?: string | undefined; // Absent if unknown, since the batch was skipped.
}

/** The address of an event as its id, `2026-11-20-12-0`: UTC day, number of the batch in its log from 1, index from 0. */
export const formatAddress = (day: string, batch: number, index: number): string => `${day}-${batch}-${index}`;

/** The log of one UTC day: a stream of batches. */
export type DayLog = Stream<Batch>;
export const openDay = (storage: Storage, day: string): DayLog => new Stream(storage, ["events", day], batch);

/** Appends the batch `own`, as JSON, as number `last + 1`. An error is retried once at the same number: if only the
 * reply was lost, the batch there is ours. @returns false when another writer took that number
 * @throws StorageError when the retry fails too; it is unknown then whether the batch was stored */
export async function appendBatch(log: DayLog, last: number, own: string, later?: boolean): Promise<boolean> {
  const outcome = await catchError(log.appendText(last, own, { later }), () => log.appendText(last, own));
  if (outcome === "created") return true;
  // A batch is created as a whole, so a damaged one is not the one just written.
  const stored = await catchDamage(log.stored(last + 1), () => undefined);
  return stored?.text === own; // The batch id is not enough: two processes with the same seed make the same ids.
}

/** Whether a log still holds the batches up to a position, damaged or not: a failover may lose its end. */
export async function isUnchanged(log: DayLog, { since, mark }: LogPosition): Promise<boolean> {
  if (since === 0) return true;
  const isSame = log.get(since).then((found) => found?.batch_id === mark);
  return catchDamage(isSame, () => true);
}

interface Follower {
  readonly batch: (batch: Batch, version: number) => void; // Each batch once; again from the first after `restarted`.
  readonly restarted: () => void; // A failover lost what was read before.
  readonly skipped?: OnSkipped | undefined; // Called for a damaged or missing batch, which is skipped.
}

/** Follows the log of a UTC day, with nothing read yet. A read after a failed one continues after the last batch. */
export function followDay(storage: Storage, day: string, on: Follower) {
  const log = openDay(storage, day);
  let read: LogPosition = { since: 0 };
  let seen = storage.generation();

  async function catchUp(): Promise<void> {
    const generation = storage.generation();
    if (generation !== seen && !(await isUnchanged(log, read))) {
      read = { since: 0 };
      on.restarted();
    }
    seen = generation;
    const skipped: OnSkipped = (error, version) => {
      on.skipped?.(error, version);
      read = { since: version };
    };
    for await (const { version, item } of log.items(read.since, skipped)) {
      read = { since: version, mark: item.batch_id };
      on.batch(item, version);
      await setImmediate(); // a page of batches comes at once, and each takes milliseconds to check and fold
    }
  }

  return {
    day,
    log,
    version: () => read.since, // Number of the last batch that was read.
    /** Skips the batch after the last one, which the caller appended itself. */
    skip: (batchId: string): void => void (read = { since: read.since + 1, mark: batchId }),
    catchUp,
  };
}

/** The UTC days with a log that the range touches, in order. It lists the storage, so no request may wait for it. */
export async function listDays(storage: Storage, { from = -Infinity, to = Infinity }: TimeRange): Promise<string[]> {
  const days: string[] = [];
  for await (const { text } of storage.children(["events"])) {
    const start = isDay(text) ? Date.parse(text) : NaN;
    if (start > from - DAY_MS && start <= to) days.push(text);
  }
  return days.sort();
}

/** The events of the range with their addresses, in the order of the log: by day, then as they were appended. */
export async function* readEvents(storage: Storage, range: TimeRange, onSkipped?: OnSkipped) {
  const { from = -Infinity, to = Infinity } = range;
  for (const day of await listDays(storage, range)) {
    for await (const event of eventsOfDay(storage, day, onSkipped)) {
      const at = Date.parse(event.created_at);
      if (at >= from && at <= to) yield event;
    }
  }
}

/** The same, of one UTC day. */
export async function* eventsOfDay(storage: Storage, day: string, onSkipped?: OnSkipped) {
  for await (const { version, item } of openDay(storage, day).items(0, onSkipped))
    for (const [index, event] of item.events.entries())
      yield { event_id: formatAddress(day, version, index), ...event };
}
