import { toIso, type Clock } from "../runtime/clock.ts";
import type { Ids } from "../runtime/ids.ts";
import type { Logger } from "../runtime/logger.ts";
import { StorageError } from "../storage/errors.ts";
import type { Storage } from "../storage/storage.ts";
import { formatAddress, parseAddress } from "./address.ts";
import { appendOwn, BATCH_LIMITS, openDay, type DayLog } from "./day-log.ts";
import { newEvent, type AddressedEvent, type NewEvent, type StoredEvent } from "./event.ts";

/** What became of an event. One that was not stored has an id too, which addresses nothing. */
export interface Recorded {
  readonly event_id: string;
  readonly stored: boolean;
}

/** How much may wait for the storage: events, and their size as JSON in bytes. */
export interface QueueLimits {
  readonly events: number;
  readonly bytes: number;
}

export const QUEUE_LIMITS: QueueLimits = { events: 10_000, bytes: 32 * 1024 * 1024 };

/** The event log: takes events in, and finds one by its address. */
export interface EventLog {
  record(event: NewEvent): Promise<Recorded>;
  get(eventId: string): Promise<AddressedEvent | undefined>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  readonly event: StoredEvent;
  readonly bytes: number;
  readonly resolve: (recorded: Recorded) => void;
  readonly reject: (error: unknown) => void;
}

interface Dependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly limits?: QueueLimits | undefined;
}

/**
 * The log's writer, with group commit: while one append is on its way, further events gather, and the next append
 * carries them all. Under load the events share the cost of a durable write; a lone event waits for nobody.
 */
export function createEventLog({ storage, clock, ids, logger, limits = QUEUE_LIMITS }: Dependencies): EventLog {
  const queue: Waiting[] = [];
  let queuedBytes = 0;
  let draining: Promise<void> | undefined;
  let closed = false;
  let today: { readonly day: string; readonly log: DayLog; head: number } | undefined;
  /** Events lost since the log could last be written; undefined while all is well. */
  let lost: number | undefined;

  function lose(count: number, reason: string): void {
    if (lost === undefined) logger.error({ reason }, "the event log cannot be written; events are dropped");
    lost = (lost ?? 0) + count;
  }

  function recovered(): void {
    if (lost !== undefined && queue.length === 0) {
      logger.info({ lost }, "the event log is written again");
      lost = undefined;
    }
  }

  /** The next events that may share an append: of one day, within the limits. */
  function takeBatch(): Waiting[] {
    const day = queue[0]!.event.created_at.slice(0, 10);
    let bytes = 0;
    let count = 0;
    for (const { event, bytes: size } of queue) {
      const fits = count < BATCH_LIMITS.events && bytes + size <= BATCH_LIMITS.bytes;
      if ((count > 0 && !fits) || event.created_at.slice(0, 10) !== day) break;
      bytes += size;
      count += 1;
    }
    queuedBytes -= bytes;
    return queue.splice(0, count);
  }

  /** @returns the number of the batch in its day's log */
  async function append(day: string, events: StoredEvent[]): Promise<number> {
    if (today?.day !== day) {
      const log = openDay(storage, day);
      today = { day, log, head: await log.head() };
    }
    const place = today;
    const own = { batch_id: ids.request(), events };
    while (!(await appendOwn(place.log, place.head, own))) place.head = await place.log.head(place.head + 1);
    place.head += 1;
    return place.head;
  }

  async function commit(waiting: readonly Waiting[]): Promise<void> {
    const day = waiting[0]!.event.created_at.slice(0, 10);
    try {
      const number = await append(
        day,
        waiting.map(({ event }) => event),
      );
      for (const [index, { resolve }] of waiting.entries()) {
        resolve({ event_id: formatAddress(day, number, index), stored: true });
      }
      recovered();
    } catch (error) {
      if (!(error instanceof StorageError)) {
        for (const { reject } of waiting) reject(error);
        return;
      }
      lose(waiting.length, error.message);
      for (const { resolve } of waiting) resolve({ event_id: ids.request(), stored: false });
    }
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) await commit(takeBatch());
    // In the same step as the look at the queue, or an event queued between the two would wait for the next one.
    draining = undefined;
  }

  const log: EventLog = {
    async record(event) {
      const stored: StoredEvent = { created_at: toIso(clock.now()), ...newEvent.parse(event) };
      const bytes = Buffer.byteLength(JSON.stringify(stored));
      if (closed || queue.length >= limits.events || queuedBytes + bytes > limits.bytes) {
        lose(1, closed ? "the event log is closed" : "too many events are waiting to be written");
        return { event_id: ids.request(), stored: false };
      }
      return new Promise((resolve, reject) => {
        queue.push({ event: stored, bytes, resolve, reject });
        queuedBytes += bytes;
        draining ??= drain();
      });
    },
    async get(eventId) {
      const address = parseAddress(eventId);
      if (address === undefined) return undefined;
      const item = await openDay(storage, address.day).get(address.batch);
      const event = item?.events[address.index];
      return event === undefined ? undefined : { event_id: eventId, ...event };
    },
    async flush() {
      while (draining !== undefined) await draining;
    },
    async close() {
      closed = true;
      await log.flush();
    },
  };
  return log;
}
