import type { Ids } from "../../runtime/ids.ts";
import { CorruptionError, StorageError } from "../../storage/storage-errors.ts";
import type { Storage } from "../../storage/storage.ts";
import { formatAddress } from "./event-address.ts";
import { appendOwn, batchesAfter, holds, openDay, type DayLog } from "./day-log.ts";
import type { StoredEvent } from "../event.ts";

/** A batch of a day's log: its number, and its mark, by which it is known from another one that took its place. */
export interface Reached {
  /** 0 for the beginning. */
  readonly since: number;
  readonly mark?: string | undefined;
}

/** How far a day's log was searched for an event that may be there already: up to that batch it certainly is not. */
export interface Search extends Reached {
  /** Whether it was handed in before, so that it may stand in a batch of this very writer too. */
  readonly again: boolean;
}

/** An event on its way into the log; with `search`, one whose `source_id` may be there, and must not come twice. */
export interface Appended {
  readonly event: StoredEvent;
  search?: Search;
}

/** Where an event stands; `found` when it stood there before. */
export interface Standing {
  readonly event_id: string;
  readonly found: boolean;
}

/** Appends to the logs of days, one append at a time. */
export interface DayWriter {
  /** A batch that the log of a day has reached. */
  reached(day: string): Promise<Reached>;
  /**
   * Stores events of one day in one batch.
   *
   * @returns for each event where it stands, or why the log could not be searched for it
   * @throws StorageError when the batch may stand in the log or not
   */
  append(day: string, events: readonly Appended[]): Promise<(Standing | StorageError)[]>;
}

/** The last batch that all of the searches have seen; none, where a server that failed over lost what they saw. */
async function searchedUpTo(log: DayLog, searched: readonly Appended[]): Promise<Reached> {
  const least = searched.map(({ search }) => search!).reduce((one, other) => (other.since < one.since ? other : one));
  for (const { search } of searched) {
    const { since, mark } = search!;
    if (!(await holds(log, since, mark).catch(isThere))) return { since: 0 };
  }
  return least;
}

/** A batch that is damaged is there all the same. */
function isThere(error: unknown): true {
  if (error instanceof CorruptionError) return true;
  throw error;
}

async function markOf(log: DayLog, version: number): Promise<string | undefined> {
  try {
    return (await log.get(version))?.batch_id;
  } catch (error) {
    isThere(error);
    return undefined;
  }
}

/** Where the writer is in the log of a day. */
interface Place {
  readonly log: DayLog;
  head: number;
  /** The batch at the head, once somebody asked for it. */
  reached?: Reached;
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

  /**
   * Looks for those events that another writer, or an earlier try, may have stored. What is found is made as safe as
   * what was acknowledged.
   */
  async function search(day: string, place: Place, events: Iterable<Appended>) {
    const results = new Map<Appended, Standing | StorageError>();
    const searched = [...events].filter(({ search }) => search && (search.again || search.since < place.foreign));
    if (searched.length === 0) return results;
    const wanted = new Map(searched.map((one) => [one.event.source_id, one]));
    let reached: Reached;
    try {
      reached = await searchedUpTo(place.log, searched);
      for await (const { version, batch } of batchesAfter(place.log, reached.since)) {
        reached = { since: version, mark: batch.batch_id };
        const here = batch.events.flatMap(({ source_id }, index) => {
          const one = source_id === undefined ? undefined : wanted.get(source_id);
          return one === undefined ? [] : [{ one, index }];
        });
        if (here.length > 0) await confirm(place.log, version);
        for (const { one, index } of here) {
          results.set(one, { event_id: formatAddress(day, version, index), found: true });
        }
      }
      for (const one of searched) one.search = { ...reached, again: false };
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      // The other events of the batch need no look at what cannot be read.
      for (const one of searched) if (!results.has(one)) results.set(one, error);
    }
    return results;
  }

  async function confirm(log: DayLog, version: number): Promise<void> {
    const stored = await log.stored(version);
    if (stored === undefined) throw new StorageError("A batch of events was lost while it was read.");
    await storage.confirm(log.keyOf(version), stored.text);
  }

  return {
    async reached(day) {
      const place = await placeIn(day);
      const { head } = place;
      if (place.reached?.since !== head) place.reached = { since: head, mark: await markOf(place.log, head) };
      return place.reached;
    },
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
          place.reached = { since: place.head, mark: own.batch_id };
          for (const [index, one] of [...left].entries()) {
            results.set(one, { event_id: formatAddress(day, place.head, index), found: false });
          }
          break;
        }
        place.head = await place.log.headAfterRefusal(place.head);
        place.foreign = place.head;
      }
      return events.map((one) => results.get(one)!);
    },
  };
}
