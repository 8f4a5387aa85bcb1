import { z } from "zod";
import { invalid } from "../../contract/errors.ts";
import { canonicalJson, sha256 } from "../../runtime/canonical-json.ts";
import { toIso, type Clock } from "../../runtime/clock.ts";
import type { Ids } from "../../runtime/ids.ts";
import { createKeyedMutex } from "../../runtime/keyed-mutex.ts";
import { parseDocument, writeDocument } from "../../storage/documents.ts";
import { isOutage } from "../../storage/storage-errors.ts";
import type { Key, Storage } from "../../storage/storage.ts";
import { newEvent, type NewEvent } from "../event.ts";
import type { EventLog, Recorded } from "./event-log.ts";

/**
 * What is kept of an idempotency key: created by the first call under it, so every later one, of whatever process,
 * makes the same event of the same day and finds it there. The address is added once the event is stored; it spares the
 * search.
 */
const claim = z.strictObject({
  /** SHA-256 of the event. */
  request: z.string(),
  created_at: z.iso.datetime({ precision: 3 }),
  /** The batch that the day's log had reached before, and its mark. */
  since: z.int().min(0),
  mark: z.string().optional(),
  event_id: z.string().optional(),
});

/**
 * Takes events in that carry an idempotency key, each exactly once however often it is sent, by whatever process: also
 * after a crash or a lost reply between any two steps. What cannot be stored is told, not thrown.
 *
 * @throws AnpError 422 when the key was used for another event
 * @throws CorruptionError that names the key of a damaged claim
 */
export function createRecordOnce({
  storage,
  clock,
  ids,
  log,
}: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: EventLog;
}): (event: NewEvent, key: string) => Promise<Recorded> {
  const inTurn = createKeyedMutex();

  async function record(event: NewEvent, key: string): Promise<Recorded> {
    const { user_id } = event;
    const place: Key = ["users", user_id, "event-keys", key];
    const request = sha256(canonicalJson(newEvent.parse(event)));
    const before = await storage.get(place);
    const mine = before === undefined ? await tryClaim(place, request) : undefined;
    const there = before ?? (mine === undefined ? await storage.get(place) : undefined);
    const held = mine ?? parseDocument(place, there, claim);
    // Created by another in between, and gone again: a server that failed over lost it.
    if (held === undefined) return unstored();
    if (held.request !== request) {
      throw invalid([{ in: "header", path: "Idempotency-Key", message: "was used for another request before" }]);
    }
    if (held.event_id !== undefined) {
      await storage.confirm(place, there!);
      return { event_id: held.event_id, stored: true, replayed: true };
    }
    const source_id = `key-${sha256(JSON.stringify([user_id, key]))}`;
    const { created_at, since, mark } = held;
    const again = mine === undefined;
    const recorded = await log.recordClaimed(event, { created_at, source_id, since, mark, again });
    if (recorded.stored) await settle(place, { ...held, event_id: recorded.event_id });
    return recorded;
  }

  /** Makes the claim; undefined when another was first. */
  async function tryClaim(place: Key, request: string): Promise<z.infer<typeof claim> | undefined> {
    const created_at = toIso(clock.now());
    // Read before the claim is made: up to there nobody can have stored the event.
    const own = { request, created_at, ...(await log.reached(created_at.slice(0, 10))) };
    return (await storage.create(place, JSON.stringify(own))) ? own : undefined;
  }

  /** Without it the next call searches the log; the event is stored all the same. */
  async function settle(place: Key, held: z.infer<typeof claim>): Promise<void> {
    try {
      await writeDocument(storage, place, held);
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
  }

  function unstored(): Recorded {
    return { event_id: ids.request(), stored: false };
  }

  return (event, key) =>
    inTurn(JSON.stringify([event.user_id, key]), () =>
      record(event, key).catch((error: unknown) => {
        if (!isOutage(error)) throw error;
        return unstored();
      }),
    );
}
