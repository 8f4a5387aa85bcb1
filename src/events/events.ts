import type { Clock } from "../runtime/clock.ts";
import type { Ids } from "../runtime/ids.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Storage } from "../storage/storage.ts";
import { DAY_MS, daysBetween } from "./log/event-address.ts";
import type { DayRange } from "./log/day-log.ts";
import { exportEvents } from "./replay/export-events.ts";
import { summarizeFeedback, type FeedbackSummary } from "./projections/feedback.ts";
import { rankQuestions, type HotQuestion } from "./projections/hot-questions.ts";
import type { AddressedEvent, NewEvent } from "./event.ts";
import { EventLog, type QueueState, type Recorded } from "./log/event-log.ts";
import type { QueueLimits } from "./log/event-queue.ts";
import { createProjections, PROJECTED_DAYS } from "./projections/projections.ts";
import type { ReplayReport } from "./replay/replay-lines.ts";
import { IdempotentRecorder } from "./log/event-idempotency.ts";
import { replayEvents } from "./replay/replay-events.ts";
import { countEvents, type EventStats } from "./projections/event-stats.ts";

/** Which questions count as hot. */
export interface HotQuestionOptions {
  /** How far back to look, in days of 24 hours: 1 to 30. */
  readonly days: number;
  readonly limit: number;
  /** How many different users must have asked a question for it to be shown. */
  readonly min_users: number;
  /** Milliseconds since the Unix epoch; the clock's time when left out. */
  readonly now?: number | undefined;
}

/** Records events, answers what the log says about questions and feedback, and exports and replays the log. */
export interface Events {
  /**
   * Records an event, dated by the clock, and waits until it is stored durably. When the log cannot be written, or too
   * many events wait, the result has `stored: false`; nothing is thrown.
   *
   * @param key an idempotency key of the event's user: the event is stored once however often it is sent under the key
   * @throws ZodError for an event that does not match `newEvent`
   * @throws AnpError 422 when the key was used for another event
   */
  record(event: NewEvent, key?: string): Promise<Recorded>;
  /**
   * The event at an address (the `event_id` of a stored event).
   *
   * @throws StorageError when the log cannot be read
   */
  get(eventId: string): Promise<AddressedEvent | undefined>;
  /**
   * Questions that at least `min_users` different users asked: the most often asked first, then the most recent. What
   * another process stored is counted within a second.
   *
   * @throws RangeError when `days` is not 1 to 30
   * @throws StorageError when the log cannot be read
   */
  hotQuestions(options: HotQuestionOptions): Promise<HotQuestion[]>;
  /**
   * Feedback on answers on the last `days` UTC days, today included. What another process stored is counted within a
   * second.
   *
   * @throws RangeError when `days` is not 1 to 30
   * @throws StorageError when the log cannot be read
   */
  feedback(options: { readonly days: number; readonly now?: number | undefined }): Promise<FeedbackSummary>;
  /** Stores the lines of an export, each event exactly once: see {@link replayEvents}. */
  replay(
    lines: Parameters<typeof replayEvents>[1],
    options?: Parameters<typeof replayEvents>[2],
  ): Promise<ReplayReport>;
  /** The events as lines of JSON that {@link Events.replay} reads: see {@link exportEvents}. */
  export(range?: DayRange): AsyncIterable<string>;
  /** Counts of events by type and day: see {@link countEvents}. */
  stats(range?: DayRange): Promise<EventStats>;
  /** What waits for the storage, the batch that is being written included, and what was lost. */
  queue(): QueueState;
  /** Waits until nothing is queued. */
  flush(): Promise<void>;
  /** Drops events from now on, and waits until nothing is queued. The storage stays open. */
  close(): Promise<void>;
}

function checkDays(days: number): void {
  if (!Number.isInteger(days) || days < 1 || days > PROJECTED_DAYS) {
    throw new RangeError(`days must be an integer from 1 to ${PROJECTED_DAYS}`);
  }
}

/**
 * The events of one storage. Several processes may share it.
 *
 * @example
 * const events = createEvents({ storage: await openStorage("memory:"), clock, ids, logger });
 * await events.record({ user_id: "alice", event_type: "page_view" }); // { event_id: "2026-11-20-1-0", stored: true }
 */
export function createEvents(dependencies: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** How much may wait for the storage. */
  readonly limits?: QueueLimits | undefined;
  /** A monotonic clock in milliseconds, for how often the log is checked for new batches. Default: the platform's. */
  readonly monotonic?: (() => number) | undefined;
}): Events {
  const { storage, clock } = dependencies;
  const projections = createProjections(storage, dependencies.monotonic);
  const appended = (day: string): void => {
    projections.touch(day);
  };
  const log = new EventLog({ ...dependencies, appended });
  const idempotent = new IdempotentRecorder({ ...dependencies, log });
  return {
    record: (event, key) => (key === undefined ? log.record(event) : idempotent.record(event, key)),
    get: (eventId) => log.get(eventId),
    queue: () => log.queue(),
    flush: () => log.flush(),
    close: () => log.close(),
    async hotQuestions({ days, limit, min_users: minUsers, now = clock.now() }) {
      checkDays(days);
      const window = { from: now - days * DAY_MS, to: now };
      const projected = await projections.of(daysBetween(window.from, window.to));
      const questions = projected.map((day) => day.questions);
      return rankQuestions(questions, window, { limit, minUsers });
    },
    async feedback({ days, now = clock.now() }) {
      checkDays(days);
      const projected = await projections.of(daysBetween(now - (days - 1) * DAY_MS, now));
      return summarizeFeedback(projected.map((day) => day.feedback));
    },
    replay: (lines, options) => replayEvents({ ...dependencies, appended }, lines, options),
    export: (range = {}) => exportEvents(storage, range),
    stats: (range = {}) => countEvents(storage, range),
  };
}
