import { toIso, type Clock } from "../../runtime/clock.ts";
import type { Ids } from "../../runtime/ids.ts";
import type { Logger } from "../../runtime/logger.ts";
import { StorageError } from "../../storage/storage-errors.ts";
import type { Storage } from "../../storage/storage.ts";
import { parseAddress } from "./event-address.ts";
import { openDay } from "./day-log.ts";
import { DayWriter, type DuplicateSearch, type LogPosition } from "./day-writer.ts";
import { dayOfEvent, EventQueue, QUEUE_LIMITS, type QueuedEvent, type QueueLimits } from "./event-queue.ts";
import { newEvent, type AddressedEvent, type NewEvent, type StoredEvent } from "../event.ts";

/** The result of recording an event. One that was not stored has an id too, which addresses nothing. */
export interface Recorded {
  readonly event_id: string;
  readonly stored: boolean;
  /** It had been stored before this call, under the same key. */
  readonly replayed?: true;
}

/** What an event that may be in the log already is recognised by. */
export interface Deduplication extends DuplicateSearch {
  /** ISO 8601; the event is searched for in the log of this day, and stored there. */
  readonly created_at: string;
  /** Its `source_id` in the log. */
  readonly source_id: string;
}

/** What waits for the storage, and what was lost. */
export interface QueueState {
  readonly events: number;
  readonly bytes: number;
  /** How long the oldest event has waited, in milliseconds; 0 when nothing waits. */
  readonly oldest_ms: number;
  /** Events that were not stored since the start. */
  readonly dropped: number;
}

interface Dependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly limits?: QueueLimits | undefined;
  /** Called with the day after each append. */
  readonly appended: (day: string) => void;
}

/**
 * The event log: stores events, and finds one by its address. It writes with group commit: while one append is being
 * written, further events queue up, and the next append carries them all. Under load the events share the cost of a
 * durable write; a single event does not wait.
 */
export class EventLog {
  readonly #dependencies: Dependencies;
  readonly #queue: EventQueue;
  readonly #writer: DayWriter;
  readonly #losses: LossLog;
  #draining: Promise<void> | undefined;
  #closed = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#queue = new EventQueue(dependencies.limits ?? QUEUE_LIMITS);
    this.#writer = new DayWriter(dependencies);
    this.#losses = new LossLog(dependencies.logger);
  }

  /** Stores an event, dated by the clock. */
  async record(event: NewEvent): Promise<Recorded> {
    return this.#enqueue({ created_at: toIso(this.#dependencies.clock.now()), ...newEvent.parse(event) });
  }

  /** Stores an event unless the log has it already; the result has its address either way. */
  async recordOnce(event: NewEvent, { created_at, source_id, ...search }: Deduplication): Promise<Recorded> {
    return this.#enqueue({ created_at, ...newEvent.parse(event), source_id }, search);
  }

  /** The last batch in the log of a day. */
  head(day: string): Promise<LogPosition> {
    return this.#writer.head(day);
  }

  /** The event at an address, or undefined. */
  async get(eventId: string): Promise<AddressedEvent | undefined> {
    const address = parseAddress(eventId);
    if (address === undefined) return undefined;
    const batch = await openDay(this.#dependencies.storage, address.day).get(address.batch);
    const event = batch?.events[address.index];
    return event === undefined ? undefined : { event_id: eventId, ...event };
  }

  queue(): QueueState {
    return { ...this.#queue.state(), dropped: this.#losses.total };
  }

  /** Waits until nothing is queued. */
  async flush(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  /** Drops events from now on, and waits until nothing is queued. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  async #enqueue(event: StoredEvent, search?: DuplicateSearch): Promise<Recorded> {
    const stored = await new Promise<Awaited<Parameters<QueuedEvent["resolve"]>[0]>>((resolve, reject) => {
      const bytes = Buffer.byteLength(JSON.stringify(event));
      const queued = { event, bytes, since_ms: performance.now(), resolve, reject, ...(search && { search }) };
      if (this.#closed) this.#drop([queued], "the event log is closed");
      else if (this.#queue.add(queued)) this.#draining ??= this.#drain();
      else this.#drop([queued], "too many events are waiting to be written");
    });
    if (stored === undefined) return { event_id: this.#dependencies.ids.request(), stored: false };
    return { event_id: stored.event_id, stored: true, ...(stored.duplicate && { replayed: true }) };
  }

  async #drain(): Promise<void> {
    while (!this.#queue.isEmpty) await this.#write(this.#queue.takeBatch());
    this.#queue.batchDone();
    // In the same step as the check of the queue, or an event queued between the two would wait for the next one.
    this.#draining = undefined;
  }

  async #write(batch: readonly QueuedEvent[]): Promise<void> {
    const day = dayOfEvent(batch[0]!);
    try {
      const results = await this.#writer.append(day, batch);
      this.#dependencies.appended(day);
      for (const [index, result] of results.entries()) {
        if (result instanceof StorageError) this.#drop([batch[index]!], result.message);
        else batch[index]!.resolve(result);
      }
      if (this.#queue.isEmpty) this.#losses.recovered();
    } catch (error) {
      if (error instanceof StorageError) this.#drop(batch, error.message);
      else for (const { reject } of batch) reject(error);
    }
  }

  #drop(events: readonly QueuedEvent[], reason: string): void {
    this.#losses.add(events.length, reason);
    for (const { resolve } of events) resolve(undefined);
  }
}

/** Counts dropped events, and logs once when an outage begins and once when it ends. */
class LossLog {
  readonly #logger: Logger;
  /** Events dropped since the start. */
  total = 0;
  /** Events dropped in the current outage; undefined when there is none. */
  #current: number | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(count: number, reason: string): void {
    if (this.#current === undefined) {
      this.#logger.error({ reason }, "the event log cannot be written; events are dropped");
    }
    this.#current = (this.#current ?? 0) + count;
    this.total += count;
  }

  recovered(): void {
    if (this.#current === undefined) return;
    this.#logger.info({ lost: this.#current }, "the event log is written again");
    this.#current = undefined;
  }
}
