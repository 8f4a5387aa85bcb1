import type { Storage } from "../../storage/storage.ts";
import { batchesAfter, holds, openDay, type DayLog } from "../log/day-log.ts";
import type { Batch } from "../event.ts";
import { identitiesOf } from "../log/event-identity.ts";

/** A set of identities, of which there may be millions: it keeps 128 bits of each. */
export interface Identities {
  has(identity: string): boolean;
  add(identity: string): void;
  clear(): void;
  readonly size: number;
}

const KEPT_BYTES = 16;

function createIdentities(): Identities {
  const kept = new Set<string>();
  // A new string, one byte a character: a slice of the identity would keep all of it.
  const short = (identity: string): string => Buffer.from(identity, "base64url").toString("latin1", 0, KEPT_BYTES);
  return {
    has: (identity) => kept.has(short(identity)),
    add(identity) {
      kept.add(short(identity));
    },
    clear() {
      kept.clear();
    },
    get size() {
      return kept.size;
    },
  };
}

/** The identities in one day's log, up to batch number `version`. */
export interface KnownDay {
  readonly day: string;
  readonly log: DayLog;
  readonly identities: Identities;
  version: number;
  /** The mark of batch number `version`. */
  last: string | undefined;
  /** The storage's generation at which the log was read. */
  generation: number;
}

/** The days whose identities a replay knows. */
export interface KnownDays {
  /** A day as far as it is known. */
  of(day: string): KnownDay;
  /** Takes in what was appended since; all of it anew, where the storage may have lost what was read before. */
  catchUp(known: KnownDay): Promise<void>;
}

/** How many identities a replay keeps in memory (about 100 bytes each), besides those of the day it writes. */
const KEPT_IDENTITIES = 1_000_000;

/** Takes in a batch that follows the last one taken in. */
export function learn(known: KnownDay, item: Batch): void {
  known.version += 1;
  known.last = item.batch_id;
  for (const identity of identitiesOf(known.day, known.version, item)) known.identities.add(identity);
}

/** The days' identities, the least recently used given up first. */
export function createKnownDays(storage: Storage): KnownDays {
  const days = new Map<string, KnownDay>();

  function open(day: string): KnownDay {
    const generation = storage.generation();
    return { day, log: openDay(storage, day), identities: createIdentities(), version: 0, last: undefined, generation };
  }

  return {
    of(day) {
      const known = days.get(day) ?? open(day);
      days.delete(day);
      let kept = 0;
      for (const { identities } of days.values()) kept += identities.size;
      for (const [other, { identities }] of days) {
        if (kept <= KEPT_IDENTITIES) break;
        days.delete(other);
        kept -= identities.size;
      }
      days.set(day, known);
      return known;
    },
    async catchUp(known) {
      const generation = storage.generation();
      if (known.generation !== generation && !(await holds(known.log, known.version, known.last))) {
        known.identities.clear();
        known.version = 0;
      }
      known.generation = generation;
      for await (const { batch } of batchesAfter(known.log, known.version)) learn(known, batch);
    },
  };
}
