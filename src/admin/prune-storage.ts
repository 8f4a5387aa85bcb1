import { lastTurn, messageKey, markPruned, sessionTurn } from "../assistant/sessions/messages.ts";
import { batch } from "../events/event.ts";
import { listDays } from "../events/log/day-log.ts";
import { batchesOf } from "../runtime/batches.ts";
import { DAY_MS, utcDay } from "../runtime/clock.ts";
import { idTime, minIdAt } from "../runtime/ids.ts";
import type { AccountsService } from "../service/accounts-service.ts";
import { decodeSegment, streamItem } from "../storage/keys.ts";
import { catchDamage, type Key, type Storage } from "../storage/storage.ts";
import { Stream } from "../storage/stream.ts";

/** What a pruning removes of one kind, and the UTC days that it is of; null where there is nothing. */
export type PruneCounts = ReturnType<typeof nothing>;

const nothing = (kind: "answers" | "sessions" | "event_days") => {
  return { kind, count: 0, oldest_day: null as string | null, newest_day: null as string | null };
};

interface PruneOptions {
  readonly dryRun?: boolean; // Only finds what would be removed.
  readonly onStep?: (done: () => string) => void; // Gets the progress. If it throws, the next pruning continues.
}

/** Removes what is older than the configuration keeps, by whole UTC days: answers, sessions whose last turn is a day
 * older still, and days of events. Ledgers stay. It may be interrupted, and several processes may do it at once. */
export async function pruneStorage(
  { storage, clock, config }: Pick<AccountsService, "storage" | "clock" | "config">,
  options: PruneOptions = {},
): Promise<readonly PruneCounts[]> {
  const { answers_days, events_days } = config.retention;
  const startOf = (days: number): number => Math.floor(clock.now() / DAY_MS - days) * DAY_MS;
  const pruned = [nothing("answers"), nothing("sessions"), nothing("event_days")] as const;
  if (answers_days !== undefined) {
    await pruneAnswers(storage, startOf(answers_days), pruned[0], options);
    await pruneSessions(storage, startOf(answers_days + 1), pruned[1], options);
  }
  if (events_days !== undefined) await pruneEvents(storage, startOf(events_days), pruned[2], options);
  return pruned;
}

function note(pruned: PruneCounts, ms: number): void {
  const day = utcDay(ms);
  pruned.count += 1;
  if (pruned.oldest_day === null || day < pruned.oldest_day) pruned.oldest_day = day;
  if (pruned.newest_day === null || day > pruned.newest_day) pruned.newest_day = day;
}

async function pruneAnswers(storage: Storage, before: number, pruned: PruneCounts, { dryRun, onStep }: PruneOptions) {
  for await (const segments of batchesOf(storage.children(["messages"]), 32)) {
    const ids = segments.map((segment) => Number(decodeSegment(segment))).filter((id) => id < minIdAt(before));
    if (dryRun !== true && ids.length > 0) {
      await markPruned(storage, minIdAt(before));
      await Promise.all(ids.map((id) => storage.remove(messageKey(id))));
    }
    for (const id of ids) note(pruned, idTime(id));
    onStep?.(() => `${pruned.count} old answers ${dryRun === true ? "found" : "removed"}`);
  }
}

/** Removes sessions that are over: see `Messages.isOver`. A damaged one stays as it is. */
async function pruneSessions(storage: Storage, before: number, pruned: PruneCounts, { dryRun, onStep }: PruneOptions) {
  let removed = 0;
  for await (const key of storage.keys(["users"], "sessions")) {
    const item = streamItem(key);
    onStep?.(() => `${pruned.count} old sessions found, ${removed} removed`);
    // One that has both the turn that opened it and further ones is listed twice.
    if (item === undefined ? key.length !== 4 : item.version !== 1) continue;
    const session = new Stream(storage, item === undefined ? key : [item.stem], sessionTurn);
    if (item !== undefined && (await storage.has(session.name))) continue;
    const last = await catchDamage(lastTurn(storage, session), () => undefined);
    if (last === undefined || last.message_id >= minIdAt(before)) continue;
    note(pruned, idTime(last.message_id));
    if (dryRun === true) continue;
    await session.removeAll(await session.head());
    await storage.remove(session.name);
    removed += 1;
  }
}

async function pruneEvents(storage: Storage, before: number, pruned: PruneCounts, { dryRun, onStep }: PruneOptions) {
  for (const day of await listDays(storage, { to: before - 1 })) {
    onStep?.(() => `${pruned.count} days of events, up to ${day}`);
    note(pruned, Date.parse(day));
    if (dryRun === true) continue;
    const name: Key = ["events", day];
    let last = 0;
    // Of a damaged log, its head cannot be read.
    for await (const key of storage.keys(name)) last = Math.max(last, streamItem(key)?.version ?? 0);
    await new Stream(storage, name, batch).removeAll(last);
  }
}
