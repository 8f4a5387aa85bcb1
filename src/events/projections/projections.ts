import { LRUCache } from "lru-cache";
import { createKeyedMutex } from "../../runtime/keyed-mutex.ts";
import type { Storage } from "../../storage/storage.ts";
import type { OnSkipped } from "../../storage/stream.ts";
import { followDay } from "../log/day-log.ts";
import { emptyQuestionDay, foldQuestion, forgetQuestions, type QuestionTotals } from "./hot-questions.ts";

/** How many days a projection may span, and how many are kept in memory: 30 × 24 hours touch 31 days. */
export const PROJECTED_DAYS = 30;
const KEPT_DAYS = PROJECTED_DAYS + 2;

function openProjection(storage: Storage, name: string, totals: QuestionTotals, skipped: OnSkipped) {
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
    catchUp,
    /** Not kept any more: what a read under way still folds does not count. */
    isForgotten: false,
  };
  return day;
}

/** Keeps days of the log folded in memory. A day is read once. After that an update costs one read that finds nothing, or
 * reads the batches appended since (a replay may append to any day).
 * @param onSkipped is told of batches that are damaged or missing, which are not counted */
export function createProjections(storage: Storage, onSkipped: OnSkipped) {
  const totals: QuestionTotals = new Map();
  const inTurn = createKeyedMutex();
  const cached = new LRUCache<string, ReturnType<typeof openProjection>>({
    max: KEPT_DAYS,
    memoMethod: (day) => openProjection(storage, day, totals, onSkipped),
    dispose(day) {
      forgetQuestions(totals, day.questions);
      day.isForgotten = true;
    },
  });
  return {
    /** Of all days that are kept. */
    totals,
    /** Brings the days asked for up to date. @throws StorageError when a day cannot be read */
    async update(days: readonly string[]): Promise<void> {
      for (const day of days) await inTurn(day, cached.memo(day).catchUp);
    },
  };
}
