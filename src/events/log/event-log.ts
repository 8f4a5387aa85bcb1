import { toIso, type Clock } from "../../runtime/clock.ts";
import type { Ids } from "../../runtime/ids.ts";
import type { Logger } from "../../runtime/logger.ts";
import { StorageError, type Storage } from "../../storage/storage.ts";
import { BATCH_LIMITS, type LogPosition } from "./day-log.ts";
import { createDayWriter, type DuplicateSearch, type PendingEvent, type Recorded } from "./day-writer.ts";
import { newEvent, type NewEvent, type StoredEvent } from "../event.ts";

const QUEUE_LIMITS = { events: 10_000, bytes: 32 * 1024 * 1024 }; // Events that may wait for the storage; bytes of JSON.
export type QueueLimits = Readonly<typeof QUEUE_LIMITS>;
const HELD_MS = 10; // How long events with `later` are held to share a batch, which is several syncs.
/** When an event happened, in ISO 8601, the id that it came with, and where in that day's log it may be already. */
export type KnownEvent = Pick<StoredEvent, "created_at" | "source_id"> & { readonly search?: DuplicateSearch };

interface QueuedEvent extends PendingEvent {
  readonly bytes: number;
  readonly since_ms: number; // When it was queued, in milliseconds of the monotonic clock.
  readonly resolve: (recorded: Recorded) => void;
  readonly reject: (error: unknown) => void;
}

export type EventDeps = { storage: Storage; clock: Clock; ids: Ids; logger: Logger; limits?: QueueLimits | undefined };

/** The event log. It writes with group commit: while one append is being written, further events queue up, and the next
 * append carries them all. Under load the events share the cost of a durable write. An awaited event is not held. */
export class EventLog {
  readonly #deps: EventDeps;
  readonly #writer: ReturnType<typeof createDayWriter>;
  readonly #waiting: QueuedEvent[] = [];
  #waitingBytes = 0;
  #writing: readonly QueuedEvent[] = [];
  #draining: Promise<void> | undefined;
  #release: (() => void) | undefined; // Ends the hold of events with `later`.
  #closed = false;
  #dropped = 0; // Events dropped since the start.
  #lost: number | undefined; // Events dropped in the current outage; undefined when there is none.

  constructor(deps: EventDeps) {
    this.#deps = deps;
    this.#writer = createDayWriter(deps.storage, deps.ids);
  }

  /** Stores an event, dated by the clock unless it is `known`. With `search`, it is stored only if its day's log lacks
   * it; the result has its address either way.
   * @param later whether nobody waits for it */
  async record(given: NewEvent, known?: KnownEvent, later = false): Promise<Recorded> {
    const { created_at = toIso(this.#deps.clock.now()), source_id, search } = known ?? {};
    const event = { created_at, ...newEvent.parse(given), ...(source_id !== undefined && { source_id }) };
    return new Promise((resolve, reject) => {
      const bytes = Buffer.byteLength(JSON.stringify(event));
      const queued = { event, later, bytes, since_ms: performance.now(), resolve, reject, ...(search && { search }) };
      const { limits = QUEUE_LIMITS } = this.#deps;
      const isFull = this.#waiting.length >= limits.events || this.#waitingBytes + bytes > limits.bytes;
      if (this.#closed) this.#drop([queued], "the event log is closed");
      else if (isFull) this.#drop([queued], "too many events are waiting to be written");
      else {
        this.#waiting.push(queued);
        this.#waitingBytes += bytes;
        this.#draining ??= this.#drain();
        if (!later) this.#release?.();
      }
    });
  }

  readonly head = (day: string): Promise<LogPosition> => this.#writer.head(day); // The last batch in the log of a day.

  /** Events that wait or are being written; the waiting time of the oldest, ms; the number dropped so far. */
  queue() {
    const oldest = this.#writing[0] ?? this.#waiting[0];
    return {
      events: this.#waiting.length + this.#writing.length,
      bytes: this.#waitingBytes + this.#writing.reduce((sum, { bytes }) => sum + bytes, 0),
      oldest_ms: oldest === undefined ? 0 : performance.now() - oldest.since_ms,
      dropped: this.#dropped,
    };
  }

  /** Waits until nothing is queued. */
  async flush(): Promise<void> {
    this.#release?.();
    while (this.#draining !== undefined) await this.#draining;
  }

  /** Drops events from now on, and waits until nothing is queued. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  #takeBatch(): readonly QueuedEvent[] {
    const day = dayOf(this.#waiting[0]!);
    let bytes = 0;
    let count = 0;
    for (const one of this.#waiting) {
      const fits = count < BATCH_LIMITS.events && bytes + one.bytes <= BATCH_LIMITS.bytes;
      if ((count > 0 && !fits) || dayOf(one) !== day) break;
      bytes += one.bytes;
      count += 1;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#deps.storage.durable && this.#waiting.every(({ later }) => later))
        await new Promise<void>((resolve) => {
          setTimeout(resolve, HELD_MS);
          this.#release = resolve;
        });
      this.#writing = this.#takeBatch();
      await this.#write(this.#writing);
    }
    this.#writing = [];
    this.#draining = undefined; // In the same tick as the check of the queue, or an event queued in between would wait.
  }

  async #write(batch: readonly QueuedEvent[]): Promise<void> {
    try {
      await this.#writer.append(dayOf(batch[0]!), batch);
      for (const one of batch)
        if (one.result instanceof StorageError) this.#drop([one], one.result.message);
        else one.resolve(one.result!);
      if (this.#waiting.length > 0 || this.#lost === undefined) return;
      this.#deps.logger.info({ lost: this.#lost }, "the event log is written again");
      this.#lost = undefined;
    } catch (error) {
      if (error instanceof StorageError) this.#drop(batch, error.message);
      else for (const { reject } of batch) reject(error);
    }
  }

  #drop(events: readonly QueuedEvent[], reason: string): void {
    const { logger, ids } = this.#deps;
    if (this.#lost === undefined) logger.error({ reason }, "the event log cannot be written; events are dropped");
    this.#lost = (this.#lost ?? 0) + events.length;
    this.#dropped += events.length;
    for (const { resolve } of events) resolve({ event_id: ids.request(), stored: false });
  }
}

const dayOf = ({ event }: PendingEvent): string => event.created_at.slice(0, 10);
