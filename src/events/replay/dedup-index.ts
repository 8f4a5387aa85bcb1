import type { Storage } from "../../storage/storage.ts";
import type { OnSkipped } from "../../storage/stream.ts";
import { followDay } from "../log/day-log.ts";
import { formatAddress } from "../log/event-address.ts";
import { contentOf, fingerprint } from "../log/event-fingerprint.ts";
import type { StoredEvent } from "../event.ts";
import type { ReplayedEvent } from "./exported-line.ts";
import { FingerprintCounts } from "./fingerprint-counts.ts";

/** How many fingerprints a replay keeps in memory, besides those of the day it writes. */
const MAX_FINGERPRINTS = 1_000_000;

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
  /** An export has an event without an id of its own under its address. */
  function addAddress(event: StoredEvent, version: number, index: number): void {
    if (event.source_id !== undefined) return;
    counts.addStored(fingerprint(contentOf(event), formatAddress(day, version, index)));
  }
  const follower = followDay(storage, day, {
    batch({ events }, version) {
      for (const [index, event] of events.entries()) {
        counts.addStored(fingerprint(contentOf(event), event.source_id ?? ""));
        addAddress(event, version, index);
      }
    },
    restarted: () => counts.clearStored(),
    skipped: onSkipped,
  });
  return {
    follower,
    counts,
    /** Counts a batch that was appended behind the last one that was read. */
    add(batchId: string, events: readonly ReplayedEvent[]) {
      follower.skip(batchId);
      for (const [index, { fingerprint: known, source_id, json }] of events.entries()) {
        counts.addStored(known);
        if (source_id === undefined) addAddress(JSON.parse(json) as StoredEvent, follower.version(), index);
      }
    },
  };
}
