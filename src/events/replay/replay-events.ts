import type { Ids } from "../../runtime/ids.ts";
import type { Storage } from "../../storage/storage.ts";
import { appendBatch, BATCH_LIMITS } from "../log/day-log.ts";
import { createDedupIndex, indexBatch, type IndexedDay } from "./dedup-index.ts";
import {
  replayLines,
  type ReplayedEvent,
  type ReplayOptions,
  type ReplayReport,
  type StoredChunk,
  type UnreadableLine,
} from "./replay-lines.ts";

/** The events from `start` on that the log does not have and that fit in one batch, and where the next batch begins. */
function nextBatch(
  known: IndexedDay,
  events: readonly ReplayedEvent[],
  start: number,
): { missing: ReplayedEvent[]; next: number } {
  const missing: ReplayedEvent[] = [];
  const added = new Set<string>();
  let bytes = 0;
  let next = start;
  for (; next < events.length; next++) {
    const event = events[next]!;
    if (known.fingerprints.has(event.fingerprint) || added.has(event.fingerprint)) continue;
    bytes += event.text.length;
    if (missing.length === BATCH_LIMITS.events || (missing.length > 0 && bytes > BATCH_LIMITS.bytes)) break;
    missing.push(event);
    added.add(event.fingerprint);
  }
  return { missing, next };
}

/**
 * Stores lines of an export. Each event is stored exactly once, however often the lines are replayed: again, after an
 * interrupt, or by several processes at once. A day's log is appended to at the very version up to which its events
 * were compared, so no other process can have added the same event in between.
 *
 * Memory holds a chunk and the fingerprints of the days in it; input in the order of time is cheapest.
 *
 * @throws StorageError when the log cannot be read or written (a CorruptionError names the damaged batch); what was
 *   stored until then stays, and a second run continues from there
 */
export async function replayEvents(
  {
    storage,
    ids,
    appended,
  }: {
    readonly storage: Storage;
    readonly ids: Ids;
    /** Called with the day after each append. */
    readonly appended: (day: string) => void;
  },
  lines: AsyncIterable<string | UnreadableLine> | Iterable<string | UnreadableLine>,
  options: ReplayOptions & {
    /** Reports what would be stored and writes nothing. */
    readonly dryRun?: boolean | undefined;
  } = {},
): Promise<ReplayReport> {
  const { dryRun = false } = options;
  const index = createDedupIndex(storage);

  async function storeDay(known: IndexedDay, events: readonly ReplayedEvent[]): Promise<number> {
    await index.catchUp(known);
    let stored = 0;
    for (let start = 0; start < events.length;) {
      const { missing, next } = nextBatch(known, events, start);
      if (missing.length === 0) break;
      if (dryRun) {
        for (const { fingerprint } of missing) known.fingerprints.add(fingerprint);
      } else {
        const own = { batch_id: ids.request(), events: missing.map(({ event }) => event) };
        if (!(await appendBatch(known.log, known.version, own))) {
          await index.catchUp(known);
          continue;
        }
        indexBatch(known, own);
        appended(known.day);
      }
      stored += missing.length;
      start = next;
    }
    return stored;
  }

  async function storeChunk(chunk: readonly ReplayedEvent[]): Promise<StoredChunk> {
    const byDay = new Map<string, ReplayedEvent[]>();
    for (const one of chunk) {
      const day = one.event.created_at.slice(0, 10);
      const sameDay = byDay.get(day);
      if (sameDay === undefined) byDay.set(day, [one]);
      else sameDay.push(one);
    }
    let stored = 0;
    for (const [day, events] of byDay) stored += await storeDay(index.of(day), events);
    return { stored, skipped: chunk.length - stored };
  }

  return replayLines(lines, storeChunk, options);
}
