import { BATCH_LIMITS } from "./day-log.ts";
import type { PendingEvent, StoredAt } from "./day-writer.ts";

/** How much may wait for the storage: events, and their size as JSON in bytes. */
export interface QueueLimits {
  readonly events: number;
  readonly bytes: number;
}

export const QUEUE_LIMITS: QueueLimits = { events: 10_000, bytes: 32 * 1024 * 1024 };

/** An event that waits for the storage, and the caller who waits with it. */
export interface QueuedEvent extends PendingEvent {
  readonly bytes: number;
  /** When it was queued, in milliseconds of the monotonic clock. */
  readonly since_ms: number;
  /** Called with undefined when the event was dropped. */
  readonly resolve: (stored: StoredAt | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** The events that wait for the storage, the batch that is being written included. */
export function createEventQueue(limits: QueueLimits) {
  const waiting: QueuedEvent[] = [];
  let waitingBytes = 0;
  let writing: readonly QueuedEvent[] = [];
  return {
    isEmpty: () => waiting.length === 0,
    /** @returns false when the queue is full; nothing was added then */
    add(event: QueuedEvent): boolean {
      if (waiting.length >= limits.events || waitingBytes + event.bytes > limits.bytes) return false;
      waiting.push(event);
      waitingBytes += event.bytes;
      return true;
    },
    /** Removes the next events that may share an append: of one day, within the limits. They count as being written. */
    takeBatch(): readonly QueuedEvent[] {
      const day = dayOfEvent(waiting[0]!);
      let bytes = 0;
      let count = 0;
      for (const one of waiting) {
        const fits = count < BATCH_LIMITS.events && bytes + one.bytes <= BATCH_LIMITS.bytes;
        if ((count > 0 && !fits) || dayOfEvent(one) !== day) break;
        bytes += one.bytes;
        count += 1;
      }
      waitingBytes -= bytes;
      writing = waiting.splice(0, count);
      return writing;
    },
    /** The write of the batch that was taken last has ended. */
    batchDone(): void {
      writing = [];
    },
    /** What waits, and how long the oldest event has waited in milliseconds; 0 when nothing waits. */
    state() {
      const oldest = writing[0] ?? waiting[0];
      return {
        events: waiting.length + writing.length,
        bytes: waitingBytes + writing.reduce((sum, { bytes }) => sum + bytes, 0),
        oldest_ms: oldest === undefined ? 0 : performance.now() - oldest.since_ms,
      };
    },
  };
}

/** The UTC day in whose log an event belongs. */
export function dayOfEvent({ event }: PendingEvent): string {
  return event.created_at.slice(0, 10);
}
