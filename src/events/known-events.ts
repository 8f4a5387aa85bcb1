import type { Storage } from "../storage/storage.ts";
import { batchesAfter, openDay, type DayLog } from "./day-log.ts";
import type { Batch } from "./event.ts";
import { identitiesOf } from "./identity.ts";

/** The identities in one day's log, up to batch number `version`. */
export interface KnownDay {
  readonly day: string;
  readonly log: DayLog;
  readonly identities: Set<string>;
  version: number;
}

/** How many identities a replay keeps in memory (about 100 bytes each), besides those of the day it writes. */
const KEPT_IDENTITIES = 1_000_000;

/** Takes in a batch that follows the last one taken in. */
export function learn(known: KnownDay, item: Batch): void {
  known.version += 1;
  for (const identity of identitiesOf(known.day, known.version, item)) known.identities.add(identity);
}

/** Takes in what was appended since. */
export async function catchUp(known: KnownDay): Promise<void> {
  for await (const { batch } of batchesAfter(known.log, known.version)) learn(known, batch);
}

/** The days' identities, the least recently used given up first. */
export function createKnownDays(storage: Storage): (day: string) => KnownDay {
  const days = new Map<string, KnownDay>();
  return (day) => {
    const known = days.get(day) ?? { day, log: openDay(storage, day), identities: new Set<string>(), version: 0 };
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
  };
}
