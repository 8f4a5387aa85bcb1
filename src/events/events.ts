import type { Clock } from "../runtime/clock.ts";
import type { Ids } from "../runtime/ids.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Storage } from "../storage/storage.ts";
import { DAY_MS, daysBetween } from "./log/event-address.ts";
import type { DayRange } from "./log/day-log.ts";
import { exportEvents } from "./replay/export-events.ts";
import { summarizeFeedback, type FeedbackSummary } from "./projections/feedback.ts";
import { rankQuestions, type HotQuestion } from "./projections/hot-questions.ts";
import type { NewEvent } from "./event.ts";
import { createEventLog, type EventLog, type QueueLimits, type Recorded } from "./log/event-log.ts";
import { createProjections, PROJECTED_DAYS } from "./projections/projections.ts";
import type { ReplayReport } from "./replay/replay-lines.ts";
import { createRecordOnce } from "./log/record-once.ts";
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

/** The event intake, what is known from the events, and the ways in and out for operators. */
export interface Events {
  /**
   * Takes an event in, dated by the clock, and waits until it is stored durably. When the log cannot be written, or too
   * many events wait, it is not stored: that is told, not thrown.
   *
   * @param key an idempotency key of the event's user: the event is stored once however often it is sent under it
   * @throws ZodError for an event that does not match `newEvent`
   * @throws AnpError 422 when the key was used for another event
   */
  record(event: NewEvent, key?: string): Promise<Recorded>;
  /**
   * The event at an address (the `event_id` of a stored event).
   *
   * @throws StorageError when the log cannot be read
   */
  get: EventLog["get"];
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
  /** What waits for the storage, the batch on its way included, and what was lost. */
  queue: EventLog["queue"];
  /** Waits until nothing is queued. */
  flush(): Promise<void>;
  /** Takes no more events in and waits until nothing is queued. The storage stays open. */
  close(): Promise<void>;
}

function checkDays(days: number): void {
  if (!Number.isInteger(days) || days < 1 || days > PROJECTED_DAYS) {
    throw new RangeError(`days must be an integer from 1 to ${PROJECTED_DAYS}`);
  }
}

/** The events of one storage. Several processes may share it. */
export function createEvents(dependencies: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** How much may wait for the storage. */
  readonly limits?: QueueLimits | undefined;
  /** Milliseconds that only grow, for how often it is looked for what others appended. Default: the platform's. */
  readonly monotonic?: (() => number) | undefined;
}): Events {
  const { storage, clock } = dependencies;
  const projections = createProjections(storage, dependencies.monotonic);
  const appended = (day: string): void => {
    projections.touch(day);
  };
  const log = createEventLog({ ...dependencies, appended });
  const recordOnce = createRecordOnce({ ...dependencies, log });
  return {
    record: (event, key) => (key === undefined ? log.record(event) : recordOnce(event, key)),
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
