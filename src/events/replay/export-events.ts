import type { Storage } from "../../storage/storage.ts";
import { eventsOfDay, isWithin, listDays, type TimeRange, type OnSkipped } from "../log/day-log.ts";
import { contentOf, fingerprint, uniqueId } from "../log/event-fingerprint.ts";
import { FingerprintCounts } from "./fingerprint-counts.ts";

/** The events of the range as lines of JSON without line ends: see `Events.export`. */
export async function* exportEvents(storage: Storage, range: TimeRange, skipped?: OnSkipped): AsyncGenerator<string> {
  for (const day of await listDays(storage, range)) {
    let ids: FingerprintCounts | undefined;
    for await (const { event_id: address, ...event } of eventsOfDay(storage, day, skipped)) {
      if (!isWithin(event, range)) continue;
      const { source_id, ...content } = event;
      let id = address;
      if (source_id !== undefined) {
        ids ??= await countIds(storage, day);
        // An address is unique in its own storage alone, and in its own day.
        const isUnique = ids.stored(fingerprint("", source_id)) === 1;
        id = isUnique ? source_id : uniqueId(source_id, contentOf(event));
      }
      yield JSON.stringify({ event_id: id, ...content });
    }
  }
}

async function countIds(storage: Storage, day: string): Promise<FingerprintCounts> {
  const counts = new FingerprintCounts();
  for await (const { event_id, source_id } of eventsOfDay(storage, day, () => undefined)) {
    counts.addStored(fingerprint("", source_id ?? event_id));
  }
  return counts;
}
