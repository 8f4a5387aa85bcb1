import { toIso, type Clock } from "../../runtime/clock.ts";
import type { Ids } from "../../runtime/ids.ts";
import type { Logger } from "../../runtime/logger.ts";
import { StorageError } from "../../storage/storage-errors.ts";
import type { Storage } from "../../storage/storage.ts";
import { parseAddress } from "./event-address.ts";
import { BATCH_LIMITS, openDay } from "./day-log.ts";
import { createDayWriter, type Appended, type DayWriter, type Search } from "./day-writer.ts";
import { newEvent, type AddressedEvent, type NewEvent, type StoredEvent } from "../event.ts";

/** What became of an event. One that was not stored has an id too, which addresses nothing. */
export interface Recorded {
  readonly event_id: string;
  readonly stored: boolean;
  /** It had been stored before this call, under the same key. */
  readonly replayed?: true;
}

/** How much may wait for the storage: events, and their size as JSON in bytes. */
export interface QueueLimits {
  readonly events: number;
  readonly bytes: number;
}

export const QUEUE_LIMITS: QueueLimits = { events: 10_000, bytes: 32 * 1024 * 1024 };

/** An event that may be in the log already, and must not come into it twice. */
export interface Claimed extends Search {
  /** ISO 8601; the event is looked for in the log of this day, and stored there. */
  readonly created_at: string;
  /** What it is known by in the log. */
  readonly source_id: string;
}

/** What waits for the storage, and what was lost. */
export interface QueueState {
  readonly events: number;
  readonly bytes: number;
  /** How long the oldest waits, in milliseconds; 0 when nothing waits. */
  readonly oldest_ms: number;
  /** Events that were not stored since the start. */
  readonly dropped: number;
}

/** The event log: takes events in, and finds one by its address. */
export interface EventLog {
  record(event: NewEvent): Promise<Recorded>;
  /** Stores a claimed event unless it is there; tells its address either way. */
  recordClaimed(event: NewEvent, claimed: Claimed): Promise<Recorded>;
  reached: DayWriter["reached"];
  get(eventId: string): Promise<AddressedEvent | undefined>;
  queue(): QueueState;
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface Waiting extends Appended {
  readonly bytes: number;
  /** When it came in, in milliseconds of the monotonic clock. */
  readonly since_ms: number;
  readonly resolve: (recorded: Recorded) => void;
  readonly reject: (error: unknown) => void;
}

interface Dependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly limits?: QueueLimits | undefined;
  /** Told of the day after each append. */
  readonly appended: (day: string) => void;
}

/**
 * The log's writer, with group commit: while one append is on its way, further events gather, and the next append
 * carries them all. Under load the events share the cost of a durable write; a lone event waits for nobody.
 */
export function createEventLog({
  storage,
  clock,
  ids,
  logger,
  limits = QUEUE_LIMITS,
  appended,
}: Dependencies): EventLog {
  const queue: Waiting[] = [];
  let queuedBytes = 0;
  /** The batch that is on its way. */
  let sending: readonly Waiting[] = [];
  let draining: Promise<void> | undefined;
  let closed = false;
  const writer = createDayWriter({ storage, ids });
  /** Events lost since the log could last be written; undefined while all is well. */
  let lost: number | undefined;
  let dropped = 0;

  function lose(count: number, reason: string): void {
    if (lost === undefined) logger.error({ reason }, "the event log cannot be written; events are dropped");
    lost = (lost ?? 0) + count;
    dropped += count;
  }

  function drop(waiting: readonly Waiting[], { message }: StorageError): void {
    lose(waiting.length, message);
    for (const { resolve } of waiting) resolve({ event_id: ids.request(), stored: false });
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

  async function commit(waiting: readonly Waiting[]): Promise<void> {
    const day = waiting[0]!.event.created_at.slice(0, 10);
    try {
      const results = await writer.append(day, waiting);
      appended(day);
      for (const [index, result] of results.entries()) {
        const one = waiting[index]!;
        if (result instanceof StorageError) drop([one], result);
        else one.resolve({ event_id: result.event_id, stored: true, ...(result.found && { replayed: true }) });
      }
      recovered();
    } catch (error) {
      if (error instanceof StorageError) drop(waiting, error);
      else for (const { reject } of waiting) reject(error);
    }
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      sending = takeBatch();
      await commit(sending);
    }
    sending = [];
    // In the same step as the look at the queue, or an event queued between the two would wait for the next one.
    draining = undefined;
  }

  function take(event: StoredEvent, search?: Search): Promise<Recorded> {
    const bytes = Buffer.byteLength(JSON.stringify(event));
    if (closed || queue.length >= limits.events || queuedBytes + bytes > limits.bytes) {
      lose(1, closed ? "the event log is closed" : "too many events are waiting to be written");
      return Promise.resolve({ event_id: ids.request(), stored: false });
    }
    return new Promise((resolve, reject) => {
      queue.push({
        event,
        bytes,
        since_ms: performance.now(),
        resolve,
        reject,
        ...(search !== undefined && { search }),
      });
      queuedBytes += bytes;
      draining ??= drain();
    });
  }

  const log: EventLog = {
    record: async (event) => take({ created_at: toIso(clock.now()), ...newEvent.parse(event) }),
    recordClaimed: async (event, { created_at, source_id, ...search }) =>
      take({ created_at, ...newEvent.parse(event), source_id }, search),
    reached: (day) => writer.reached(day),
    async get(eventId) {
      const address = parseAddress(eventId);
      if (address === undefined) return undefined;
      const item = await openDay(storage, address.day).get(address.batch);
      const event = item?.events[address.index];
      return event === undefined ? undefined : { event_id: eventId, ...event };
    },
    queue() {
      const oldest = sending[0] ?? queue[0];
      return {
        events: queue.length + sending.length,
        bytes: queuedBytes + sending.reduce((sum, { bytes }) => sum + bytes, 0),
        oldest_ms: oldest === undefined ? 0 : performance.now() - oldest.since_ms,
        dropped,
      };
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
