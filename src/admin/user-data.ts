import { tokenKey } from "../accounts/tokens.ts";
import { message, messageKey } from "../assistant/sessions/messages.ts";
import type { UserProfile } from "../accounts/users.ts";
import { UnknownUserError } from "../contract/errors.ts";
import type { StoredEvent } from "../events/event.ts";
import { listDays, readEvents, openDay } from "../events/log/day-log.ts";
import { batchesOf, collect } from "../runtime/batches.ts";
import { toIso } from "../runtime/clock.ts";
import type { AccountsService } from "../service/accounts-service.ts";
import { checkDocument } from "../storage/documents.ts";
import { decodeSegment, streamItem } from "../storage/keys.ts";
import type { EncodedSegment, Key, Storage } from "../storage/storage.ts";

/** A user's profile; undefined for one who is known only from replayed events. @throws AnpError 404 for any other */
export async function profileOf({ storage, users }: AccountsService, user: string): Promise<UserProfile | undefined> {
  const profile = await users.get(user);
  if (profile !== undefined) return profile;
  for await (const { user_id } of readEvents(storage, {}, () => undefined)) if (user_id === user) return undefined;
  throw new UnknownUserError(user);
}

/** All that is stored about a user as JSON; secrets of tokens never are. @throws AnpError 404 for an unknown user */
export async function exportUser(service: AccountsService, user: string) {
  const { storage, clock, subscriptions } = service;
  const profile = (await profileOf(service, user)) ?? null;
  const exported_at = toIso(clock.now());
  const ledger = await collect(service.ledger.entries(user));
  const questions = (await collect(storedAnswers(storage, user))).map(({ value }) => value);
  const logged = readEvents(storage, {}, () => undefined);
  const events = await collect(logged, ({ user_id }) => user_id === user);
  const feedback = events.filter(({ feedback_type }) => feedback_type !== undefined);
  const subscription = await subscriptions.get(user);
  const tokens = await service.tokens.list(user);
  return { user_id: user, exported_at, profile, subscription, tokens, ledger, questions, events, feedback };
}

/** What an erasure removed; an answer keeps its ids, which the ledger names, and an event its place in the log. */
type Erased = Record<"tokens" | "values" | "answers" | "events", number>; // Values: turns, the plan, keys of events.
type Erasure = { readonly actor: string; readonly reason: string; readonly settled: () => Promise<unknown> };
type OnProgress = (erased: Readonly<Erased>) => void;

/** Erases all that is stored about a user except the ledger, which is an accounting record and holds none of the user's
 * words. The profile becomes a record of who erased it, when and why, so that an interrupted erasure is finished by
 * running it again. It reads every answer and event.
 * @param about.settled called once no token works any more, to wait for daemons that remember one
 * @param onProgress called at each step; an error that it throws ends the erasure, and a further run finishes it
 * @throws AnpError 404 for a user who is not known */
export async function eraseUser(service: AccountsService, user: string, about: Erasure, onProgress: OnProgress) {
  const { storage, clock, users } = service;
  const { actor, reason } = about;
  const at = toIso(clock.now());
  const profile = (await profileOf(service, user)) ?? { user_id: user, created_at: at };
  const record = { at, actor, reason, ...("erased" in profile && profile.erased), complete: false };
  const erased: Erased = { tokens: 0, values: 0, answers: 0, events: 0 };
  await users.erase(profile, record);
  for await (const { text } of storage.children(["users", user, "tokens"])) {
    await storage.remove(tokenKey(text)); // The list entry is removed last, so that a continued run finds the token.
    await storage.remove(["users", user, "tokens", text]);
    erased.tokens += 1;
  }
  await about.settled();
  // A request in flight may have written since, so passes are repeated until one finds nothing.
  for (let sum = -1; sum !== erased.values + erased.answers + erased.events;) {
    sum = erased.values + erased.answers + erased.events;
    const step = (): void => onProgress(erased);
    for await (const key of ownValues(storage, user)) {
      await storage.discard(key);
      erased.values += 1;
      step();
    }
    for await (const { key, value } of storedAnswers(storage, user, step)) {
      if (value.question === "" && value.answer === ERASED) continue;
      await storage.put(key, JSON.stringify({ ...value, question: "", answer: ERASED, source_items: [] }));
      erased.answers += 1;
    }
    for await (const events of eraseEvents(storage, user)) {
      erased.events += events;
      step();
    }
  }
  await users.erase(profile, { ...record, complete: true });
  return { record: { ...record, complete: true }, erased };
}

const KEPT: ReadonlySet<string | undefined> = new Set(["profile", "ledger", "operations"]);

/** The values to erase. Sessions are listed from their end, so that an interruption leaves a valid shorter session. */
async function* ownValues(storage: Storage, user: string): AsyncGenerator<Key> {
  const items: [version: number, key: Key][] = [];
  for await (const key of storage.keys(["users", user])) {
    const item = streamItem(key);
    if (KEPT.has(key[2]?.text)) continue;
    if (item === undefined) yield key;
    else items.push([item.version, key]);
  }
  for (const [, key] of items.sort(([one], [other]) => other - one)) yield key;
}

const ERASED = "[erased]";

async function* storedAnswers(storage: Storage, user: string, onStep: () => void = () => undefined) {
  for await (const segments of batchesOf<EncodedSegment>(storage.children(["messages"]), 256)) {
    onStep();
    const keys = segments.map((segment) => messageKey(Number(decodeSegment(segment))));
    for (const [index, text] of (await storage.getMany(keys)).entries()) {
      const value = checkDocument(keys[index]!, text, message);
      if (!(value instanceof Error) && value?.user_id === user) yield { key: keys[index]!, value };
    }
  }
}

/** Takes a user's events out of each batch, and yields how many. Places stay: they are addresses of later events. */
async function* eraseEvents(storage: Storage, user: string): AsyncGenerator<number> {
  for (const day of await listDays(storage, {})) {
    const log = openDay(storage, day);
    for await (const { version, item: batch } of log.items(0, () => undefined)) {
      const own = batch.events.filter(({ user_id }) => user_id === user).length;
      const events = batch.events.map((event): StoredEvent =>
        event.user_id === user ? { created_at: `${day}T00:00:00.000Z`, user_id: "", event_type: "erased" } : event,
      );
      if (own > 0) await storage.put(log.keyOf(version), JSON.stringify({ ...batch, events }));
      yield own;
    }
  }
}
