import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { batchesOf } from "../runtime/batches.ts";
import type { ReportDamage } from "../storage/health/damage-reporter.ts";
import { DAY_MS, daysBetween, utcDay, toIso } from "../runtime/clock.ts";
import { type Storage, catchOutage, type Key } from "../storage/storage.ts";
import type { OnSkipped } from "../storage/stream.ts";
import { eventsOfDay, readEvents, type TimeRange } from "./log/day-log.ts";
import { contentOf, fingerprint, uniqueId } from "./log/event-fingerprint.ts";
import { createProjections, rankQuestions, userHash, type Limits } from "./projections/hot-questions.ts";
import { type NewEvent, newEvent } from "./event.ts";
import { EventLog, type EventDeps, type KnownEvent } from "./log/event-log.ts";
import { FingerprintCounts } from "./replay/fingerprint-counts.ts";
import { replayEvents } from "./replay/replay-events.ts";
import type { Line, ReplayOptions } from "./replay/replay-lines.ts";
import { invalid } from "../contract/errors.ts";
import { canonicalJson, sha256 } from "../runtime/json/canonical-json.ts";
import { createKeyedMutex } from "../runtime/keyed-mutex.ts";
import { parseDocument, writeDocument } from "../storage/documents.ts";
import type { Recorded } from "./log/day-writer.ts";

/** The last 1 to 30 days of 24 hours before `now`, ms since the epoch; by default the clock's time. */
type Period = { readonly days: number; readonly now?: number | undefined };

const RANKING_MS = 50; // Pause between rankings, ms: one may take some 20 ms, and must not block other work.

/** Records events, ranks the hot questions, and exports and replays the log. */
export type Events = ReturnType<typeof createEvents>;

/** The events of one storage. Several processes may share it. */
export function createEvents(dependencies: EventDeps & { readonly reportDamage?: ReportDamage }) {
  const { storage, clock, reportDamage } = dependencies;
  const onSkipped: OnSkipped = (error) => void reportDamage?.(error);
  const projections = createProjections(storage, onSkipped);
  const log = new EventLog(dependencies);
  let turn = Promise.resolve();
  const recordOnce = createIdempotentRecorder(dependencies, log);
  return {
    /** Records an event, dated by the clock, and waits until it is stored durably. When the log cannot be written, or
     * too many events wait, the result has `stored: false`; nothing is thrown.
     * @param key an idempotency key of the event's user: the event is stored once however often it is sent
     * @throws ZodError for an event that does not match `newEvent`, AnpError 422 for the key of another event */
    record: (event: NewEvent, key?: string) => (key === undefined ? log.record(event) : recordOnce(event, key)),
    recordLater: (event: NewEvent, known: KnownEvent) => log.record(event, known, true), // Nobody waits for it.
    /** Questions that at least `min_users` different users asked: the most often asked first, then the most recent.
     * @throws StorageError when the log cannot be read */
    async hotQuestions({ days, now = clock.now(), ...shown }: Limits & Period) {
      const window = { from: now - days * DAY_MS, to: now };
      await projections.update(daysBetween(window.from, window.to));
      const before = turn;
      turn = before.then(() => delay(RANKING_MS));
      await before;
      return rankQuestions(projections.totals, window, shown);
    },
    replay: (lines: AsyncIterable<Line> | Iterable<Line>, options?: ReplayOptions) =>
      replayEvents({ ...dependencies, onSkipped }, batchesOf(lines, 1), options),
    /** The events of the range as lines of JSON without line ends, in the order of the log, in bounded memory. An
     * event's id is the one it was first exported under, so that it keeps its id through several storages. An id that
     * another event of the day has, too, is extended by a hash of the event's content. */
    export: (range: TimeRange = {}, skipped?: OnSkipped) => exportEvents(storage, range, skipped),
    stats: (range: TimeRange = {}, skipped?: OnSkipped, dayOf?: (ms: number) => string) =>
      countEvents(storage, range, skipped, dayOf),
    queue: () => log.queue(),
    flush: () => log.flush(),
    close: () => log.close(), // Drops events from now on, and waits until nothing is queued. The storage stays open.
  };
}

async function* exportEvents(storage: Storage, range: TimeRange, skipped?: OnSkipped): AsyncGenerator<string> {
  let ids: { readonly day: string; readonly counts: FingerprintCounts } | undefined;
  for await (const { event_id: address, source_id, ...content } of readEvents(storage, range, skipped)) {
    let id = address;
    if (source_id !== undefined) {
      const day = content.created_at.slice(0, 10);
      if (ids?.day !== day) ids = { day, counts: await countIds(storage, day) };
      // An address is unique only within its storage and day.
      const isUnique = ids.counts.stored(fingerprint("", source_id)) === 1;
      id = isUnique ? source_id : uniqueId(source_id, contentOf(content));
    }
    yield JSON.stringify({ event_id: id, ...content });
  }
}

async function countIds(storage: Storage, day: string): Promise<FingerprintCounts> {
  const counts = new FingerprintCounts();
  for await (const { event_id, source_id } of eventsOfDay(storage, day, () => undefined))
    counts.addStored(fingerprint("", source_id ?? event_id));
  return counts;
}

/** Counts the events of the range by reading them all; memory per user. @param dayOf the day of ms; UTC by default */
async function countEvents(storage: Storage, range: TimeRange, onSkipped?: OnSkipped, dayOf = utcDay) {
  let events = 0;
  const users = new Set<number>();
  const types = new Map<string, number>();
  const days = new Map<string, number>();
  const feedback = { helpful: 0, inaccurate: 0 };
  for await (const event of readEvents(storage, range, onSkipped)) {
    events += 1;
    users.add(userHash(event.user_id));
    types.set(event.event_type, (types.get(event.event_type) ?? 0) + 1);
    const day = dayOf(Date.parse(event.created_at));
    days.set(day, (days.get(day) ?? 0) + 1);
    if (event.feedback_type !== undefined) feedback[event.feedback_type] += 1;
  }
  const by_type = [...types].map(([event_type, count]) => ({ event_type, count }));
  by_type.sort((a, b) => b.count - a.count || (a.event_type < b.event_type ? -1 : 1));
  const by_day = [...days].map(([day, count]) => ({ day, count })).sort((a, b) => (a.day < b.day ? -1 : 1));
  return { events, users: users.size, by_type, by_day, feedback };
}

/** The record of an idempotency key, created by its first call: every later call, of any process, builds the same event
 * of the same day and finds it in the log. The address, added once the event is stored, saves the search. */
const idempotencyRecord = z.strictObject({
  request: z.string(), // SHA-256 of the event.
  created_at: z.iso.datetime({ precision: 3 }),
  since: z.int().min(0), // Number and, as `mark`, batch id of the last batch in the day's log before this record.
  mark: z.string().optional(),
  event_id: z.string().optional(),
});

/** Stores events with an idempotency key exactly once, however often and by whichever processes they are sent, even
 * after a crash or a lost reply between any two steps.
 * @returns stores an event under a key. An outage of the storage is reported by `stored: false`, not thrown; an
 * AnpError 422 says that the key was used for another event, a CorruptionError names the key of a damaged record */
function createIdempotentRecorder({ storage, clock, ids }: EventDeps, log: EventLog) {
  const mutex = createKeyedMutex();
  const notStored = (): Recorded => ({ event_id: ids.request(), stored: false });

  async function record(event: NewEvent, key: string): Promise<Recorded> {
    const { user_id } = event;
    const place: Key = ["users", user_id, "event-keys", key];
    const request = sha256(canonicalJson(newEvent.parse(event)));
    let stored = await storage.get(place);
    let again = true;
    if (stored === undefined) {
      const created_at = toIso(clock.now());
      // Read before the record exists: no process can have stored the event before this position.
      stored = JSON.stringify({ request, created_at, ...(await log.head(created_at.slice(0, 10))) });
      again = !(await storage.create(place, stored));
      if (again) stored = await storage.get(place);
    }
    const known = parseDocument(place, stored, idempotencyRecord);
    if (known === undefined) return notStored(); // Another process created it, and a failover lost it.
    if (known.request !== request)
      throw invalid([{ in: "header", path: "Idempotency-Key", message: "was used for another request before" }]);
    if (known.event_id !== undefined) {
      await storage.confirm(place, stored!);
      return { event_id: known.event_id, stored: true, replayed: true };
    }
    const source_id = `key-${sha256(JSON.stringify([user_id, key]))}`;
    const { created_at, since, mark } = known;
    const recorded = await log.record(event, { created_at, source_id, search: { since, mark, again } });
    // If the address cannot be added, the next call searches the log; the event is stored anyway.
    const complete = { ...known, event_id: recorded.event_id };
    if (recorded.stored) await catchOutage(writeDocument(storage, place, complete), () => undefined);
    return recorded;
  }

  return (event: NewEvent, key: string): Promise<Recorded> =>
    mutex(JSON.stringify([event.user_id, key]), () => catchOutage(record(event, key), notStored));
}
