import { LRUCache } from "lru-cache";
import { createKeyedMutex } from "../../runtime/keyed-mutex.ts";
import type { Storage } from "../../storage/storage.ts";
import type { OnSkipped } from "../../storage/stream.ts";
import type { Batch } from "../event.ts";
import { followDay } from "../log/day-log.ts";
import { emptyQuestionDay, foldQuestion, forgetQuestions, type QuestionTotals } from "./hot-questions.ts";

const KEPT_DAYS = 32; // Days kept in memory: the longest span that is asked for, 30 × 24 hours, touches 31.

/** A day of which all batches up to the last one that was read are folded in, each once. */
function openProjection(storage: Storage, name: string, totals: QuestionTotals, skipped: OnSkipped) {
  let day = emptyQuestionDay();
  let counted = totals;
  function restarted(): void {
    forgetQuestions(counted, day);
    day = emptyQuestionDay();
  }
  const batch = ({ events }: Batch): void => events.forEach((event) => foldQuestion(day, counted, event));
  return {
    catchUp: followDay(storage, name, { batch, restarted, skipped }).catchUp,
    /** It is not kept any more: what a read under way still folds does not count. */
    forget(): void {
      restarted();
      counted = new Map();
    },
  };
}

/** Keeps days of the log folded in memory. A day is read once. After that an update costs one read that finds nothing, or
 * reads the batches appended since (a replay may append to any day).
 * @param onSkipped is called for batches that are damaged or missing, which are not counted */
export function createProjections(storage: Storage, onSkipped: OnSkipped) {
  const totals: QuestionTotals = new Map();
  const inTurn = createKeyedMutex();
  const cached = new LRUCache<string, ReturnType<typeof openProjection>>({
    max: KEPT_DAYS,
    memoMethod: (day) => openProjection(storage, day, totals, onSkipped),
    dispose: (day) => day.forget(),
  });
  return {
    totals, // Of all days that are kept.
    /** Brings the days asked for up to date. @throws StorageError when a day cannot be read */
    async update(days: readonly string[]): Promise<void> {
      for (const day of days) await inTurn(day, cached.memo(day).catchUp);
    },
  };
}
