import { setImmediate } from "node:timers/promises";
import { cachedPromise } from "../../runtime/cache/cached-promise.ts";
import type { Ids } from "../../runtime/ids.ts";
import { catchDamage, StorageError, type Storage } from "../../storage/storage.ts";
import { appendBatch, formatAddress, isUnchanged, openDay, type DayLog, type LogPosition } from "./day-log.ts";
import type { StoredEvent } from "../event.ts";

/** The search for an event that may be in the log already: only batches after the position can have it. */
export interface DuplicateSearch extends LogPosition {
  readonly again: boolean; // Whether it was submitted before: then this writer, too, may have stored it.
}

/** An event to append. With `search`, it may be in the log already and is not stored twice: see `identityOf`. */
export interface PendingEvent {
  readonly event: StoredEvent;
  readonly later?: boolean; // Nobody waits for it.
  search?: DuplicateSearch;
  result?: Recorded | StorageError; // Where it is stored, or why the log could not be searched; absent until appended.
}

/** The result of recording an event. An event that was not stored has an id, too, without an address. */
export interface Recorded {
  readonly event_id: string;
  readonly stored: boolean;
  readonly replayed?: true; // It had been stored before this call, under the same key.
}

type OpenDay = Awaited<ReturnType<typeof openAtEnd>>;

/** @returns `head`: the last batch, with its mark if this writer's; `lastForeign`: another writer's last batch */
async function openAtEnd(storage: Storage, day: string) {
  const log = openDay(storage, day);
  const head: LogPosition = { since: await log.head() };
  return { day, log, head, lastForeign: head.since };
}

/** Appends to the logs of days, one append at a time. */
export function createDayWriter(storage: Storage, ids: Ids) {
  let latest: { readonly day: string; readonly open: () => Promise<OpenDay> } | undefined;

  function openLatest(day: string): Promise<OpenDay> {
    if (latest?.day !== day) latest = { day, open: cachedPromise(() => openAtEnd(storage, day)) };
    return latest.open();
  }

  /** @returns false when another writer appended first; then the state of the day has been updated */
  async function appendNext(open: OpenDay, events: readonly PendingEvent[]): Promise<boolean> {
    const batch = { batch_id: ids.request(), events: events.map(({ event }) => event) };
    const { since } = open.head;
    await setImmediate(); // Replies that are ready to be sent go first.
    const later = events.every((one) => one.later);
    if (!(await appendBatch(open.log, since, JSON.stringify(batch), later))) {
      open.lastForeign = await open.log.headAfterRefusal(since);
      open.head = { since: open.lastForeign };
      return false;
    }
    open.head = { since: since + 1, mark: batch.batch_id };
    for (const [index, one] of events.entries())
      one.result = { event_id: formatAddress(open.day, since + 1, index), stored: true };
    return true;
  }

  return {
    async head(day: string): Promise<LogPosition> {
      const { log, head } = await openLatest(day);
      if (head.mark !== undefined) return head;
      return { ...head, mark: (await catchDamage(log.get(head.since), () => undefined))?.batch_id };
    },
    /** Stores events of one day in one batch, each with its result. @throws StorageError when the batch may be stored */
    async append(day: string, events: readonly PendingEvent[]): Promise<void> {
      const open = await openLatest(day);
      const missing = () => events.filter(({ result }) => result === undefined);
      do await findDuplicates(storage, open, missing());
      while (missing().length > 0 && !(await appendNext(open, missing())));
    },
  };
}

/** The identity of an event: the id that it came with, else its user, type and answer. */
const identityOf = ({ source_id, user_id, event_type, message_id }: StoredEvent): string =>
  source_id ?? JSON.stringify([user_id, event_type, message_id]);

/** Searches the log for events that may be stored already, and makes those as durable as acknowledged ones. */
async function findDuplicates(storage: Storage, open: OpenDay, events: readonly PendingEvent[]): Promise<void> {
  const { day, log, lastForeign } = open;
  const searched = events.filter(({ search }) => search && (search.again || search.since < lastForeign));
  if (searched.length === 0) return;
  const wanted = new Map(searched.map((one) => [identityOf(one.event), one]));
  try {
    let position = await commonStart(log, searched);
    for await (const { version, item: batch } of log.items(position.since)) {
      position = { since: version, mark: batch.batch_id };
      const matches = batch.events.flatMap((event, index) => {
        const one = wanted.get(identityOf(event));
        return one === undefined ? [] : [{ one, index }];
      });
      if (matches.length > 0) {
        const stored = await log.stored(version);
        if (stored === undefined) throw new StorageError("A batch of events was lost while it was read.");
        await storage.confirm(log.keyOf(version), stored.text);
      }
      for (const { one, index } of matches)
        one.result = { event_id: formatAddress(day, version, index), stored: true, replayed: true };
    }
    for (const one of searched) one.search = { ...position, again: false };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    for (const one of searched) one.result ??= error; // A failed search concerns only these events of the batch.
  }
}

/** Where a common search starts: the earliest position; 0 if a failover lost a batch that one of them had seen. */
async function commonStart(log: DayLog, searched: readonly PendingEvent[]): Promise<LogPosition> {
  const searches = searched.map(({ search }) => search!);
  for (const search of searches) if (!(await isUnchanged(log, search))) return { since: 0 };
  return searches.reduce((one, other) => (other.since < one.since ? other : one));
}
