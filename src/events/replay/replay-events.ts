import type { Ids } from "../../runtime/ids.ts";
import type { Storage } from "../../storage/storage.ts";
import { appendOwn, BATCH_LIMITS } from "../log/day-log.ts";
import { createKnownDays, learn, type KnownDay } from "./known-events.ts";
import {
  replayLines,
  type ReplayedEvent,
  type ReplayOptions,
  type ReplayReport,
  type StoredChunk,
  type UnreadableLine,
} from "./replay-lines.ts";

/** The unknown events from `start` on that fit in one batch, and where the next begin. */
function nextBatch(
  known: KnownDay,
  events: readonly ReplayedEvent[],
  start: number,
): { fresh: ReplayedEvent[]; next: number } {
  const fresh: ReplayedEvent[] = [];
  const taken = new Set<string>();
  let bytes = 0;
  let next = start;
  for (; next < events.length; next++) {
    const event = events[next]!;
    if (known.identities.has(event.identity) || taken.has(event.identity)) continue;
    bytes += event.text.length;
    if (fresh.length === BATCH_LIMITS.events || (fresh.length > 0 && bytes > BATCH_LIMITS.bytes)) break;
    fresh.push(event);
    taken.add(event.identity);
  }
  return { fresh, next };
}

/**
 * Stores lines of an export. Each event is stored exactly once, however often the lines are replayed: again, after an
 * interrupt, or by several processes at once. A day's log is appended to at the very version up to which its events
 * were compared, so nobody can have added the same event in between.
 *
 * Memory holds a chunk and the identities of the days at hand; input in the order of time is cheapest.
 *
 * @throws StorageError when the log cannot be read or written (a CorruptionError names the damaged batch); what was
 *   stored until then stays, and a second run goes on from there
 */
export async function replayEvents(
  {
    storage,
    ids,
    appended,
  }: {
    readonly storage: Storage;
    readonly ids: Ids;
    /** Told of the day after each append. */
    readonly appended: (day: string) => void;
  },
  lines: AsyncIterable<string | UnreadableLine> | Iterable<string | UnreadableLine>,
  options: ReplayOptions & {
    /** Tells what would be stored and writes nothing. */
    readonly dryRun?: boolean | undefined;
  } = {},
): Promise<ReplayReport> {
  const { dryRun = false } = options;
  const knownDays = createKnownDays(storage);

  async function storeDay(known: KnownDay, events: readonly ReplayedEvent[]): Promise<number> {
    await knownDays.catchUp(known);
    let stored = 0;
    for (let start = 0; start < events.length;) {
      const { fresh, next } = nextBatch(known, events, start);
      if (fresh.length === 0) break;
      if (dryRun) {
        for (const { identity } of fresh) known.identities.add(identity);
      } else {
        const own = { batch_id: ids.request(), events: fresh.map(({ event }) => event) };
        if (!(await appendOwn(known.log, known.version, own))) {
          await knownDays.catchUp(known);
          continue;
        }
        learn(known, own);
        appended(known.day);
      }
      stored += fresh.length;
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
    for (const [day, events] of byDay) stored += await storeDay(knownDays.of(day), events);
    return { stored, skipped: chunk.length - stored };
  }

  return replayLines(lines, storeChunk, options);
}
