import type { Storage } from "../storage/storage.ts";
import { batchesAfter, openDay, type DayLog } from "./day-log.ts";
import { emptyFeedbackDay, foldFeedback, type FeedbackDay } from "./feedback.ts";
import { emptyQuestionDay, foldQuestion, type QuestionDay } from "./hot-questions.ts";

/** How many days a projection may span, and how many are kept in memory: 30 × 24 hours touch 31 days. */
export const PROJECTED_DAYS = 30;
const KEPT_DAYS = PROJECTED_DAYS + 2;
/** Days read at a time: memory holds some pages of each. */
const READERS = 4;

/** What the projections know of one day: all batches up to number `version`, each folded in once. */
export interface ProjectedDay {
  readonly questions: QuestionDay;
  readonly feedback: FeedbackDay;
}

/**
 * Lets many callers share one run: a call gets a run that began after it was made, and no more than one waits.
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
    // Also in the moment between one run's end and the next one's beginning: two must never overlap.
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

interface CachedDay extends ProjectedDay {
  readonly catchUp: () => Promise<void>;
}

/** Opens a day: nothing read yet. A failed read leaves what was folded, and the next goes on from there. */
function openProjection(log: DayLog): CachedDay {
  const questions = emptyQuestionDay();
  const feedback = emptyFeedbackDay();
  let folded = 0;
  const catchUp = coalesce(async () => {
    for await (const { version, batch } of batchesAfter(log, folded)) {
      for (const event of batch.events) {
        foldQuestion(questions, event);
        foldFeedback(feedback, event);
      }
      folded = version;
    }
  });
  return { questions, feedback, catchUp };
}

/**
 * Keeps days of the log folded in memory. A day is read once; from then on each look costs one read that finds nothing,
 * or what was appended since (a replay may append to any day).
 *
 * @returns the days asked for, in order, with all that was appended before the call
 */
export function createProjections(storage: Storage): (days: readonly string[]) => Promise<ProjectedDay[]> {
  const cached = new Map<string, CachedDay>();

  return async (days) => {
    const wanted = days.map((day) => {
      const known = cached.get(day) ?? openProjection(openDay(storage, day));
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
      for (const day of waiting) await day.catchUp();
    };
    await Promise.all(Array.from({ length: READERS }, reader));
    return wanted;
  };
}
