import type { Storage } from "../../storage/storage.ts";
import { batchesAfter, isUnchanged, openDay, type DayLog } from "../log/day-log.ts";
import { emptyFeedbackDay, foldFeedback, type FeedbackDay } from "./feedback.ts";
import { emptyQuestionDay, foldQuestion, type QuestionDay } from "./hot-questions.ts";

/** How many days a projection may span, and how many are kept in memory: 30 × 24 hours touch 31 days. */
export const PROJECTED_DAYS = 30;
const KEPT_DAYS = PROJECTED_DAYS + 2;
/** How often a day's log is checked for batches of other processes, ms. */
export const CHECK_EVERY_MS = 1000;
/** Days read at a time: memory holds some pages of each. */
const READERS = 4;

/** What the projections know of one day: all batches up to number `version`, each folded in once. */
export interface ProjectedDay {
  readonly questions: QuestionDay;
  readonly feedback: FeedbackDay;
}

/**
 * Shares one run between callers: each call gets a run that began after the call, and at most one run waits.
 */
export function coalesce(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function start(): Promise<void> {
    const current = run().finally(() => {
      if (running === current) running = undefined;
    });
    running = current;
    return current;
  }

  return () => {
    // Also between the end of one run and the start of the next: two runs must never overlap.
    if (next !== undefined) return next;
    if (running === undefined) return start();
    next = running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}

/** Days of the log, projected in memory. */
export interface Projections {
  /**
   * The days asked for, in order: with all that this process appended, and what others appended up to
   * {@link CHECK_EVERY_MS} before.
   *
   * @throws StorageError when a day cannot be read
   */
  of(days: readonly string[]): Promise<ProjectedDay[]>;
  /** Called after this process appended to a day. */
  touch(day: string): void;
}

interface CachedDay {
  known: ProjectedDay;
  /** The last check of the log: when it began, in milliseconds of the monotonic clock, and its result. */
  lastCheck: { readonly began: number; readonly end: Promise<void> } | undefined;
  readonly catchUp: () => Promise<void>;
}

function emptyDay(): ProjectedDay {
  return { questions: emptyQuestionDay(), feedback: emptyFeedbackDay() };
}

/** Opens a day, with nothing read yet. After a failed read the next one continues from the last batch. */
function openProjection(storage: Storage, log: DayLog): CachedDay {
  let folded = 0;
  let last: string | undefined;
  let seen = storage.generation();
  const catchUp = coalesce(async () => {
    const generation = storage.generation();
    if (generation !== seen && !(await isUnchanged(log, folded, last))) {
      folded = 0;
      day.known = emptyDay();
    }
    seen = generation;
    for await (const { version, batch } of batchesAfter(log, folded)) {
      for (const event of batch.events) {
        foldQuestion(day.known.questions, event);
        foldFeedback(day.known.feedback, event);
      }
      folded = version;
      last = batch.batch_id;
    }
  });
  const day: CachedDay = { known: emptyDay(), lastCheck: undefined, catchUp };
  return day;
}

/**
 * Keeps days of the log folded in memory. A day is read once. After that a check costs one read that finds nothing, or
 * reads the batches appended since (a replay may append to any day). There is at most one check a second per day.
 *
 * @param monotonic a monotonic clock, ms
 */
export function createProjections(storage: Storage, monotonic: () => number = () => performance.now()): Projections {
  const cached = new Map<string, CachedDay>();

  /** Callers within a second of a check share its result, also a failure. */
  function check(day: CachedDay): Promise<void> {
    const now = monotonic();
    if (day.lastCheck === undefined || now - day.lastCheck.began >= CHECK_EVERY_MS) {
      day.lastCheck = { began: now, end: day.catchUp() };
    }
    return day.lastCheck.end;
  }

  return {
    async of(days) {
      const wanted = days.map((day) => {
        const known = cached.get(day) ?? openProjection(storage, openDay(storage, day));
        cached.delete(day);
        cached.set(day, known);
        return known;
      });
      for (const day of cached.keys()) {
        if (cached.size <= KEPT_DAYS) break;
        cached.delete(day);
      }
      const waiting = wanted.values();
      const reader = async (): Promise<void> => {
        for (const day of waiting) await check(day);
      };
      await Promise.all(Array.from({ length: READERS }, reader));
      return wanted.map(({ known }) => known);
    },
    touch(day) {
      const known = cached.get(day);
      if (known !== undefined) known.lastCheck = undefined;
    },
  };
}
