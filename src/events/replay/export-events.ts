import type { Storage } from "../../storage/storage.ts";
import type { OnSkipped } from "../../storage/stream.ts";
import { eventsOfDay, loggedEvents, type TimeRange } from "../log/day-log.ts";
import { contentOf, fingerprint, uniqueId } from "../log/event-fingerprint.ts";
import { FingerprintCounts } from "./fingerprint-counts.ts";

/** The events of the range as lines of JSON without line ends: see `Events.export`. */
export async function* exportEvents(storage: Storage, range: TimeRange, skipped?: OnSkipped): AsyncGenerator<string> {
  let ids: { readonly day: string; readonly counts: FingerprintCounts } | undefined;
  for await (const { event_id: address, source_id, ...content } of loggedEvents(storage, range, skipped)) {
    let id = address;
    if (source_id !== undefined) {
      const day = content.created_at.slice(0, 10);
      if (ids?.day !== day) ids = { day, counts: await countIds(storage, day) };
      // An address is unique in its own storage alone, and in its own day.
      const isUnique = ids.counts.stored(fingerprint("", source_id)) === 1;
      id = isUnique ? source_id : uniqueId(source_id, contentOf(content));
    }
    yield JSON.stringify({ event_id: id, ...content });
  }
}

async function countIds(storage: Storage, day: string): Promise<FingerprintCounts> {
  const counts = new FingerprintCounts();
  for await (const { event_id, source_id } of eventsOfDay(storage, day, () => undefined)) {
    counts.addStored(fingerprint("", source_id ?? event_id));
  }
  return counts;
}
