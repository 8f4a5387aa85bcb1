import { z } from "zod";
import { invalid } from "../../contract/errors.ts";
import { canonicalJson, sha256 } from "../../runtime/json/canonical-json.ts";
import { toIso } from "../../runtime/clock.ts";
import { createKeyedMutex } from "../../runtime/keyed-mutex.ts";
import { parseDocument, writeDocument } from "../../storage/documents.ts";
import { catchOutage, type Key } from "../../storage/storage.ts";
import { newEvent, type NewEvent } from "../event.ts";
import type { Recorded } from "./day-writer.ts";
import type { EventDeps, EventLog } from "./event-log.ts";

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
export function createIdempotentRecorder({ storage, clock, ids }: EventDeps, log: EventLog) {
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
