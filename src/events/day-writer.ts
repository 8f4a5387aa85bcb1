import type { Ids } from "../runtime/ids.ts";
import { StorageError } from "../storage/errors.ts";
import type { Storage } from "../storage/storage.ts";
import { formatAddress } from "./address.ts";
import { appendOwn, batchesAfter, openDay, type DayLog } from "./day-log.ts";
import type { StoredEvent } from "./event.ts";

/** How far a day's log was searched for an event that may be there already. */
export interface Search {
  /** A batch number: up to there it certainly is not. */
  since: number;
  /** Whether it was handed in before, so that it may stand in a batch of this very writer too. */
  again: boolean;
}

/** An event on its way into the log; with `search`, one whose `source_id` may be there, and must not come twice. */
export interface Appended {
  readonly event: StoredEvent;
  readonly search?: Search;
}

/** Where an event stands; `found` when it stood there before. */
export interface Standing {
  readonly event_id: string;
  readonly found: boolean;
}

/** Appends to the logs of days, one append at a time. */
export interface DayWriter {
  /** A batch number that the log of a day has reached: 0, or that of a batch that is there. */
  reached(day: string): Promise<number>;
  /**
   * Stores events of one day in one batch.
   *
   * @returns for each event where it stands, or why the log could not be searched for it
   * @throws StorageError when the batch may stand in the log or not
   */
  append(day: string, events: readonly Appended[]): Promise<(Standing | StorageError)[]>;
}

/** Where the log ends after an append was refused. */
async function newHead({ log, head }: Place): Promise<number> {
  const now = await log.head(head);
  // Refused, though nothing stands in its place: a server that failed over lost what stood before it.
  return now > head ? now : log.head();
}

/** Where the writer is in the log of a day. */
interface Place {
  readonly log: DayLog;
  head: number;
  /** The last number that another writer's batch may have. */
  foreign: number;
}

export function createDayWriter({ storage, ids }: { readonly storage: Storage; readonly ids: Ids }): DayWriter {
  let latest: { readonly day: string; readonly place: Promise<Place> } | undefined;

  function placeIn(day: string): Promise<Place> {
    if (latest?.day !== day) {
      const log = openDay(storage, day);
      const opening = { day, place: log.head().then((head) => ({ log, head, foreign: head })) };
      opening.place.catch(() => {
        // The next one tries again.
        if (latest === opening) latest = undefined;
      });
      latest = opening;
    }
    return latest.place;
  }

  /** Looks for those events that another writer, or an earlier try, may have stored. */
  async function search(day: string, place: Place, events: Iterable<Appended>) {
    const results = new Map<Appended, Standing | StorageError>();
    const searched = [...events].filter(({ search }) => search && (search.again || search.since < place.foreign));
    if (searched.length === 0) return results;
    const wanted = new Map(searched.map((one) => [one.event.source_id, one]));
    let version = Math.min(...searched.map(({ search }) => search!.since));
    try {
      for await (const { version: number, batch } of batchesAfter(place.log, version)) {
        version = number;
        for (const [index, { source_id }] of batch.events.entries()) {
          const one = source_id === undefined ? undefined : wanted.get(source_id);
          if (one !== undefined) results.set(one, { event_id: formatAddress(day, version, index), found: true });
        }
      }
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      // The other events of the batch need no look at what cannot be read.
      for (const one of searched) if (!results.has(one)) results.set(one, error);
    }
    for (const { search } of searched) Object.assign(search!, { since: version, again: false });
    return results;
  }

  return {
    reached: async (day) => (await placeIn(day)).head,
    async append(day, events) {
      const place = await placeIn(day);
      const results = new Map<Appended, Standing | StorageError>();
      const left = new Set(events);
      for (;;) {
        for (const [one, result] of await search(day, place, left)) {
          results.set(one, result);
          left.delete(one);
        }
        if (left.size === 0) break;
        const own = { batch_id: ids.request(), events: [...left].map(({ event }) => event) };
        if (await appendOwn(place.log, place.head, own)) {
          place.head += 1;
          for (const [index, one] of [...left].entries()) {
            results.set(one, { event_id: formatAddress(day, place.head, index), found: false });
          }
          break;
        }
        place.head = await newHead(place);
        place.foreign = place.head;
      }
      return events.map((one) => results.get(one)!);
    },
  };
}
