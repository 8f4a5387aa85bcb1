import type { Storage } from "../../storage/storage.ts";
import { batchesAfter, isUnchanged, openDay, type DayLog } from "../log/day-log.ts";
import type { Batch } from "../event.ts";
import { batchFingerprints } from "../log/event-fingerprint.ts";

/** A set of fingerprints, possibly millions: it keeps 128 bits of each. */
export interface FingerprintSet {
  has(fingerprint: string): boolean;
  add(fingerprint: string): void;
  clear(): void;
  readonly size: number;
}

const KEPT_BYTES = 16;

function createFingerprintSet(): FingerprintSet {
  const kept = new Set<string>();
  // A new string of one byte per character: a slice of the fingerprint would keep all of it in memory.
  const short = (fingerprint: string): string =>
    Buffer.from(fingerprint, "base64url").toString("latin1", 0, KEPT_BYTES);
  return {
    has: (fingerprint) => kept.has(short(fingerprint)),
    add(fingerprint) {
      kept.add(short(fingerprint));
    },
    clear() {
      kept.clear();
    },
    get size() {
      return kept.size;
    },
  };
}

/** The fingerprints in one day's log, up to batch number `version`. */
export interface IndexedDay {
  readonly day: string;
  readonly log: DayLog;
  readonly fingerprints: FingerprintSet;
  version: number;
  /** The id of batch number `version`. */
  last: string | undefined;
  /** The storage's generation at which the log was read. */
  generation: number;
}

/** The fingerprints of days, by which a replay recognises events that the log has already. */
export interface DedupIndex {
  /** A day with the fingerprints read so far. */
  of(day: string): IndexedDay;
  /** Reads the batches appended since; all of them again if a failover lost what was read before. */
  catchUp(known: IndexedDay): Promise<void>;
}

/** How many fingerprints a replay keeps in memory (about 100 bytes each), besides those of the day it writes. */
const MAX_FINGERPRINTS = 1_000_000;

/** Adds the batch that follows the last one added. */
export function indexBatch(known: IndexedDay, item: Batch): void {
  known.version += 1;
  known.last = item.batch_id;
  for (const fingerprint of batchFingerprints(known.day, known.version, item)) known.fingerprints.add(fingerprint);
}

/** An index over the days of a storage. The least recently used days are evicted first. */
export function createDedupIndex(storage: Storage): DedupIndex {
  const days = new Map<string, IndexedDay>();

  function open(day: string): IndexedDay {
    const generation = storage.generation();
    return {
      day,
      log: openDay(storage, day),
      fingerprints: createFingerprintSet(),
      version: 0,
      last: undefined,
      generation,
    };
  }

  return {
    of(day) {
      const known = days.get(day) ?? open(day);
      days.delete(day);
      let kept = 0;
      for (const { fingerprints } of days.values()) kept += fingerprints.size;
      for (const [other, { fingerprints }] of days) {
        if (kept <= MAX_FINGERPRINTS) break;
        days.delete(other);
        kept -= fingerprints.size;
      }
      days.set(day, known);
      return known;
    },
    async catchUp(known) {
      const generation = storage.generation();
      if (known.generation !== generation && !(await isUnchanged(known.log, known.version, known.last))) {
        known.fingerprints.clear();
        known.version = 0;
      }
      known.generation = generation;
      for await (const { batch } of batchesAfter(known.log, known.version)) indexBatch(known, batch);
    },
  };
}
