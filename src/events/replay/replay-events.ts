import { groupBy } from "../../runtime/group-by.ts";
import type { Ids } from "../../runtime/ids.ts";
import type { Storage } from "../../storage/storage.ts";
import { dayOfEvent } from "../log/event-queue.ts";
import { appendBatch, BATCH_LIMITS, type OnSkipped } from "../log/day-log.ts";
import { createDedupIndex, type IndexedDay } from "./dedup-index.ts";
import {
  replayLines,
  type Lines,
  type ReplayedEvent,
  type ReplayOptions,
  type ReplayReport,
  type StoredChunk,
} from "./replay-lines.ts";

/** The events from `start` on that the log does not have and that fit in one batch, and where the next batch begins. */
function nextBatch(
  { counts }: IndexedDay,
  events: readonly ReplayedEvent[],
  occurrences: readonly number[],
  start: number,
): { missing: ReplayedEvent[]; next: number } {
  const missing: ReplayedEvent[] = [];
  const added = new Set<string>();
  let bytes = 0;
  let next = start;
  for (; next < events.length; next++) {
    const event = events[next]!;
    // An id names one event, however often its line occurs.
    const hasId = event.event.source_id !== undefined;
    if (counts.stored(event.fingerprint) >= (hasId ? 1 : occurrences[next]!)) continue;
    if (hasId && added.has(event.fingerprint)) continue;
    bytes += event.text.length;
    if (missing.length === BATCH_LIMITS.events || (missing.length > 0 && bytes > BATCH_LIMITS.bytes)) break;
    missing.push(event);
    added.add(event.fingerprint);
  }
  return { missing, next };
}

/**
 * Stores lines of an export. Each event is stored exactly once, however often the lines are replayed: again, after an
 * interrupt, or by several processes at once. An event with an id is identified by its content and the id, any other by
 * its content and its occurrence: three equal lines are three events. A day's log is appended to at the very version up to which its events
 * were compared, so no other process can have added the same event in between.
 *
 * Memory holds a chunk and the fingerprints of the days in it; input in the order of time is cheapest.
 *
 * The events of a batch that is damaged or missing are not found in the log, and are stored again.
 *
 * @throws StorageError when the log cannot be read or written; what was stored until then stays, and a second run
 *   continues from there
 */
export async function replayEvents(
  {
    storage,
    ids,
    appended,
    onSkipped,
  }: {
    readonly storage: Storage;
    readonly ids: Ids;
    /** Called with the day after each append. */
    readonly appended: (day: string) => void;
    readonly onSkipped?: OnSkipped | undefined;
  },
  lines: Lines,
  options: ReplayOptions & {
    /** Reports what would be stored and writes nothing. */
    readonly dryRun?: boolean | undefined;
    /** Instead of the one of the dependencies. */
    readonly onSkipped?: OnSkipped | undefined;
  } = {},
): Promise<ReplayReport> {
  const { dryRun = false } = options;
  const indexOf = createDedupIndex(storage, options.onSkipped ?? onSkipped);

  async function storeDay(known: IndexedDay, events: readonly ReplayedEvent[]): Promise<number> {
    const { follower, counts } = known;
    if (events.some(({ event }) => event.source_id?.startsWith(`${follower.day}-`))) await known.knowAddresses();
    await follower.catchUp();
    const occurrences = events.map(({ fingerprint }) => counts.addSeen(fingerprint));
    let stored = 0;
    for (let start = 0; start < events.length;) {
      const { missing, next } = nextBatch(known, events, occurrences, start);
      if (missing.length === 0) break;
      const fingerprints = missing.map(({ fingerprint }) => fingerprint);
      if (dryRun) {
        for (const one of fingerprints) counts.addStored(one);
      } else {
        const own = { batch_id: ids.request(), events: missing.map(({ event }) => event) };
        if (!(await appendBatch(follower.log, follower.version(), own))) {
          await follower.catchUp();
          continue;
        }
        known.add(own, fingerprints);
        appended(follower.day);
      }
      stored += missing.length;
      start = next;
    }
    return stored;
  }

  async function storeChunk(chunk: readonly ReplayedEvent[]): Promise<StoredChunk> {
    const byDay = groupBy(chunk, dayOfEvent);
    let stored = 0;
    for (const [day, events] of byDay) stored += await storeDay(indexOf(day), events);
    return { stored, skipped: chunk.length - stored };
  }

  function count({ event, fingerprint }: ReplayedEvent): void {
    indexOf(dayOfEvent({ event })).counts.addSeen(fingerprint);
  }

  return replayLines(lines, { store: storeChunk, count }, options);
}
