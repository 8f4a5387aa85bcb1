import type { Storage } from "../../storage/storage.ts";
import { batchesAfter, followDay, type DayFollower, type OnSkipped } from "../log/day-log.ts";
import { formatAddress } from "../log/event-address.ts";
import { contentOf, fingerprint } from "../log/event-fingerprint.ts";
import type { Batch } from "../event.ts";
import { FingerprintCounts } from "./fingerprint-counts.ts";

/** How often each event occurs in one day's log, as far as it was read, and in the input. */
export interface IndexedDay {
  readonly follower: DayFollower;
  readonly counts: FingerprintCounts;
  /** Knows the events without an id of their own by their addresses too, from now on. */
  readonly knowAddresses: () => Promise<void>;
  /** Counts a batch that was appended behind the last one that was read. */
  readonly add: (batch: Batch, fingerprints: readonly string[]) => void;
}

/** How many fingerprints a replay keeps in memory, besides those of the day it writes. */
const MAX_FINGERPRINTS = 1_000_000;

/**
 * The fingerprints of days, by which a replay recognises events that the log has already, without those in batches that
 * are damaged or missing. The least recently used days are evicted first: of a day that comes up again after more than
 * {@link MAX_FINGERPRINTS} events of others, equal lines are counted anew.
 *
 * @returns a day with the fingerprints read so far
 */
export function createDedupIndex(storage: Storage, onSkipped?: OnSkipped): (day: string) => IndexedDay {
  const days = new Map<string, IndexedDay>();

  function open(day: string): IndexedDay {
    const counts = new FingerprintCounts();
    let withAddresses = false;
    function addAddresses({ events }: Batch, version: number): void {
      for (const [index, event] of events.entries()) {
        if (event.source_id !== undefined) continue;
        counts.addStored(fingerprint(contentOf(event), formatAddress(day, version, index)));
      }
    }
    const follower = followDay(storage, day, {
      batch(batch, version) {
        for (const event of batch.events) counts.addStored(fingerprint(contentOf(event), event.source_id ?? ""));
        if (withAddresses) addAddresses(batch, version);
      },
      restarted() {
        counts.clearStored();
      },
      skipped: onSkipped,
    });
    return {
      follower,
      counts,
      async knowAddresses() {
        if (withAddresses) return;
        withAddresses = true;
        const end = follower.version();
        if (end === 0) return;
        for await (const { version, batch } of batchesAfter(follower.log, 0, () => undefined)) {
          if (version > end) break;
          addAddresses(batch, version);
        }
      },
      add(batch, fingerprints) {
        follower.skip(batch);
        for (const one of fingerprints) counts.addStored(one);
        if (withAddresses) addAddresses(batch, follower.version());
      },
    };
  }

  return (day) => {
    const known = days.get(day) ?? open(day);
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
