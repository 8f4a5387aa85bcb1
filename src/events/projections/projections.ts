import { LRUCache } from "lru-cache";
import type { Storage } from "../../storage/storage.ts";
import { followDay, type OnSkipped } from "../log/day-log.ts";
import { emptyQuestionDay, foldQuestion, forgetQuestions, type QuestionTotals } from "./hot-questions.ts";

/** How many days a projection may span, and how many are kept in memory: 30 × 24 hours touch 31 days. */
export const PROJECTED_DAYS = 30;
const KEPT_DAYS = PROJECTED_DAYS + 2;
/** How often a day's log is checked for batches of other processes, ms. */
export const CHECK_EVERY_MS = 1000;
/** Days read at a time: memory holds some pages of each. */
const READERS = 4;

/** Shares one run between callers: each call gets a run that began after the call, and at most one run waits. */
function coalesce(run: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    next = undefined;
    running = run();
    return running;
  };
  return () => (next ??= running.catch(() => undefined).then(start));
}

type CachedDay = ReturnType<typeof openProjection>;

function openProjection(storage: Storage, name: string, totals: QuestionTotals, skipped?: OnSkipped) {
  const { catchUp } = followDay(storage, name, {
    batch({ events }) {
      for (const event of events) foldQuestion(day.questions, day.isForgotten ? new Map() : totals, event);
    },
    restarted() {
      if (!day.isForgotten) forgetQuestions(totals, day.questions);
      day.questions = emptyQuestionDay();
    },
    skipped,
  });
  const day = {
    /** All batches up to the last one that was read, each folded in once. */
    questions: emptyQuestionDay(),
    /** The last check of the log: when it began, in milliseconds of the monotonic clock, and its result. */
    lastCheck: undefined as { readonly began: number; readonly end: Promise<void> } | undefined,
    catchUp: coalesce(catchUp),
    /** Not kept any more: what a read under way still folds does not count. */
    isForgotten: false,
  };
  return day;
}

/** Keeps days of the log folded in memory. A day is read once. After that a check costs one read that finds nothing, or
 * reads the batches appended since (a replay may append to any day). There is at most one check a second per day.
 * @param options.monotonic a monotonic clock, ms
 * @param options.onSkipped is told of batches that are damaged or missing, which are not counted */
export function createProjections(
  storage: Storage,
  {
    monotonic = () => performance.now(),
    onSkipped,
  }: { readonly monotonic?: (() => number) | undefined; readonly onSkipped?: OnSkipped | undefined } = {},
) {
  const totals: QuestionTotals = new Map();
  const cached = new LRUCache<string, CachedDay>({
    max: KEPT_DAYS,
    dispose(day) {
      forgetQuestions(totals, day.questions);
      day.isForgotten = true;
    },
  });

  /** Callers within a second of a check share its result, also a failure. */
  function check(day: CachedDay): Promise<void> {
    const now = monotonic();
    if (day.lastCheck === undefined || now - day.lastCheck.began >= CHECK_EVERY_MS) {
      day.lastCheck = { began: now, end: day.catchUp() };
    }
    return day.lastCheck.end;
  }

  return {
    /** Of all days that are kept. */
    totals,
    /** Brings the days asked for up to date: with all that this process appended, and what others appended up to
     * {@link CHECK_EVERY_MS} before.
     * @throws StorageError when a day cannot be read */
    async update(days: readonly string[]): Promise<void> {
      const wanted = days.map((day) => {
        const known = cached.get(day) ?? openProjection(storage, day, totals, onSkipped);
        cached.set(day, known);
        return known;
      });
      const waiting = wanted.values();
      const reader = async (): Promise<void> => {
        for (const day of waiting) await check(day);
      };
      await Promise.all(Array.from({ length: READERS }, reader));
    },
    /** Called after this process appended to a day. */
    touch: (day: string): void => {
      const known = cached.peek(day);
      if (known !== undefined) known.lastCheck = undefined;
    },
  };
}
