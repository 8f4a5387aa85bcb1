import { groupBy } from "../../runtime/group-by.ts";
import type { Storage } from "../../storage/storage.ts";
import type { OnSkipped } from "../../storage/stream.ts";
import type { StoredEvent } from "../event.ts";
import { appendBatch, BATCH_LIMITS, followDay, formatAddress } from "../log/day-log.ts";
import { contentOf, fingerprint } from "../log/event-fingerprint.ts";
import type { EventDeps } from "../log/event-log.ts";
import { replayLines } from "./replay-lines.ts";
import type { ReplayedEvent, Lines, ReplayOptions, ReplayReport, StoredChunk } from "./replay-lines.ts";
import { FingerprintCounts } from "./fingerprint-counts.ts";

const MAX_FINGERPRINTS = 1_000_000; // Kept in memory, in addition to those of the day being written.

type Refusals = { readonly refusalOf?: (user: string) => Promise<string | undefined> }; // Why it rejects a user's lines.
type ReplayDeps = Pick<EventDeps, "storage" | "ids"> & Refusals & { readonly onSkipped?: OnSkipped | undefined };

/** Stores lines of an export. Each event is stored exactly once, however often the lines are replayed: repeatedly,
 * after an interruption, or by several processes at once. An event with an id is identified by its content and the id,
 * any other by its content and its occurrence: three equal lines are three events. Each append to a day's log expects
 * the version up to which its events were compared, so no other process can have added the same event in between.
 * Memory holds a chunk and the fingerprints of the days in it; chronological input is cheapest. The events of a
 * damaged or missing batch are not found in the log, and are stored again.
 * @throws StorageError when the log cannot be read or written; a second run continues from what was stored */
export async function replayEvents(deps: ReplayDeps, lines: Lines, options: ReplayOptions = {}): Promise<ReplayReport> {
  const { storage, ids, onSkipped, refusalOf = () => Promise.resolve(undefined) } = deps;
  const indexOf = createDedupIndex(storage, onSkipped);

  async function storeDay(known: IndexedDay, events: readonly ReplayedEvent[]): Promise<number> {
    const { follower, counts } = known;
    if (events.some(({ source_id }) => source_id?.startsWith(`${follower.day}-`))) await known.knowAddresses();
    await follower.catchUp();
    const occurrences = events.map(({ fingerprint }) => counts.addSeen(fingerprint));
    let stored = 0;
    for (let start = 0; start < events.length;) {
      const { missing, next } = nextBatch(known, events, occurrences, start);
      if (missing.length === 0) break;
      if (options.dryRun === true) {
        for (const { fingerprint } of missing) counts.addStored(fingerprint);
      } else {
        const id = ids.request();
        const own = `{"batch_id":${JSON.stringify(id)},"events":[${missing.map(({ json }) => json).join(",")}]}`;
        if (!(await appendBatch(follower.log, follower.version(), own))) {
          await follower.catchUp();
          continue;
        }
        known.add(id, missing);
      }
      stored += missing.length;
      start = next;
    }
    return stored;
  }

  async function store(chunk: readonly ReplayedEvent[]): Promise<StoredChunk> {
    const users = [...new Set(chunk.map(({ user }) => user))];
    const reasons = new Map(await Promise.all(users.map(async (user) => [user, await refusalOf(user)] as const)));
    const rejected: { event: ReplayedEvent; reason: string }[] = [];
    let stored = 0;
    for (const [reason, events] of groupBy(chunk, ({ user }) => reasons.get(user)))
      if (reason !== undefined) rejected.push(...events.map((event) => ({ event, reason })));
      else for (const [day, some] of groupBy(events, (one) => one.day)) stored += await storeDay(indexOf(day), some);
    return { stored, rejected };
  }

  return replayLines(lines, store, options);
}

/** The events from `start` on that the log does not have and that fit in one batch, and where the next batch begins. */
function nextBatch({ counts }: IndexedDay, events: readonly ReplayedEvent[], seen: readonly number[], start: number) {
  const missing: ReplayedEvent[] = [];
  let bytes = 0;
  let next = start;
  for (; next < events.length; next++) {
    const event = events[next]!;
    const { fingerprint, source_id } = event;
    const occurrence = seen[next]!;
    // An event with an id is stored once, however often its line occurs.
    if (counts.stored(fingerprint) >= (source_id === undefined ? occurrence : 1)) continue;
    const isRepeated = source_id !== undefined && occurrence > 1;
    if (isRepeated && missing.some((other) => other.fingerprint === fingerprint)) continue;
    bytes += event.json.length;
    if (missing.length === BATCH_LIMITS.events || (missing.length > 0 && bytes > BATCH_LIMITS.bytes)) break;
    missing.push(event);
  }
  return { missing, next };
}

/** The fingerprints of days, by which a replay recognises events that the log has already, except those in damaged or
 * missing batches. The least recently used days are evicted first: if a day returns after more than {@link
 * MAX_FINGERPRINTS} events of others, the count of its equal lines starts again.
 * @returns a day with the fingerprints read so far */
function createDedupIndex(storage: Storage, onSkipped?: OnSkipped): (day: string) => IndexedDay {
  const days = new Map<string, IndexedDay>();

  return (day) => {
    const known = days.get(day) ?? indexDay(storage, day, onSkipped);
    days.delete(day);
    let kept = 0;
    for (const [other, { counts }] of Array.from(days).reverse()) {
      kept += counts.size;
      if (kept > MAX_FINGERPRINTS) days.delete(other);
    }
    days.set(day, known);
    return known;
  };
}

/** How often each event occurs in one day's log, as far as it was read, and in the input. */
type IndexedDay = ReturnType<typeof indexDay>;

function indexDay(storage: Storage, day: string, onSkipped: OnSkipped | undefined) {
  const counts = new FingerprintCounts();
  let withAddresses = false;
  function addAddresses(events: readonly StoredEvent[], version: number): void {
    for (const [index, event] of events.entries())
      if (event.source_id === undefined)
        counts.addStored(fingerprint(contentOf(event), formatAddress(day, version, index)));
  }
  const follower = followDay(storage, day, {
    batch(batch, version) {
      for (const event of batch.events) counts.addStored(fingerprint(contentOf(event), event.source_id ?? ""));
      if (withAddresses) addAddresses(batch.events, version);
    },
    restarted: () => counts.clearStored(),
    skipped: onSkipped,
  });
  return {
    follower,
    counts,
    /** From now on, identifies events without an id by their addresses, too. */
    async knowAddresses() {
      if (withAddresses) return;
      withAddresses = true;
      const end = follower.version();
      if (end === 0) return;
      for await (const { version, item: batch } of follower.log.items(0, () => undefined)) {
        if (version > end) break;
        addAddresses(batch.events, version);
      }
    },
    /** Counts a batch that this replay appended after the last one that was read. */
    add(batchId: string, events: readonly ReplayedEvent[]) {
      follower.skip(batchId);
      for (const one of events) counts.addStored(one.fingerprint);
      addAddresses(withAddresses ? events.map(({ json }) => JSON.parse(json) as StoredEvent) : [], follower.version());
    },
  };
}
