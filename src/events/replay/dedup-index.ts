import type { Storage } from "../../storage/storage.ts";
import type { OnSkipped } from "../../storage/stream.ts";
import { followDay, formatAddress } from "../log/day-log.ts";
import { contentOf, fingerprint } from "../log/event-fingerprint.ts";
import type { StoredEvent } from "../event.ts";
import type { ReplayedEvent } from "./exported-line.ts";
import { FingerprintCounts } from "./fingerprint-counts.ts";

const MAX_FINGERPRINTS = 1_000_000; // Kept in memory, besides those of the day that is written.

/** The fingerprints of days, by which a replay recognises events that the log has already, without those in batches
 * that are damaged or missing. The least recently used days are evicted first: of a day that comes up again after more
 * than {@link MAX_FINGERPRINTS} events of others, equal lines are counted anew.
 * @returns a day with the fingerprints read so far */
export function createDedupIndex(storage: Storage, onSkipped?: OnSkipped): (day: string) => IndexedDay {
  const days = new Map<string, IndexedDay>();

  return (day) => {
    const known = days.get(day) ?? indexDay(storage, day, onSkipped);
    days.delete(day);
    let kept = 0;
    for (const { counts } of days.values()) kept += counts.size;
    for (const [other, { counts }] of days) {
      if (kept <= MAX_FINGERPRINTS) break;
      days.delete(other);
      kept -= counts.size;
    }
    days.set(day, known);
    return known;
  };
}

/** How often each event occurs in one day's log, as far as it was read, and in the input. */
export type IndexedDay = ReturnType<typeof indexDay>;

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
    /** Knows the events without an id of their own by their addresses too, from now on. */
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
    /** Counts a batch that was appended behind the last one that was read. */
    add(batchId: string, events: readonly ReplayedEvent[]) {
      follower.skip(batchId);
      for (const one of events) counts.addStored(one.fingerprint);
      addAddresses(withAddresses ? events.map(({ json }) => JSON.parse(json) as StoredEvent) : [], follower.version());
    },
  };
}
