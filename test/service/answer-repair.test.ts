import { expect, it } from "vitest";
import { createMessages } from "../../src/assistant/sessions/messages.ts";
import type { StoredEvent } from "../../src/events/event.ts";
import { collect } from "../../src/runtime/batches.ts";
import type { Service } from "../../src/service/service.ts";
import { printKey } from "../../src/storage/documents.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { StorageError, type Storage } from "../../src/storage/storage.ts";
import { openFixtureService } from "../support/service.ts";

const question = "提现手续费是多少？";
const LATE_MS = 61_000;
const SESSION = 7;
const USER = "bob"; // Without memory: an answer that cannot be read concerns none of the questions.

/** The storage, on which turns and events of a user cannot be written while `refuses` says so. */
const refusing = (base: Storage, refuses: (key: string) => boolean): Storage =>
  interceptStorage(base, (verb, key, run) => {
    if (verb === "create" && refuses(printKey(key))) throw new StorageError("killed");
    return run();
  });

const isAfterReply = (key: string): boolean => /^(users\/bob\/sessions|events)\//.test(key);

async function ask(by: Service, session_id: number | undefined = SESSION): Promise<number> {
  const { data } = await by.run("sendChat", { request_id: "r", user: USER }, { body: { question, session_id } });
  await by.settled();
  return data.message_id;
}

/** `count` answers by a process that died each time before their events and turns, and a service that finds them. */
async function leaveOut(count: number, storage?: Storage, flags = {}) {
  const base = storage ?? (await openStorage("memory:"));
  const { service: killed } = await openFixtureService({ storage: refusing(base, isAfterReply), flags });
  await killed.adjust({ user: USER, delta: 100, reason: "test", actor: "test", request_id: "r" });
  const left: number[] = [];
  for (let n = 0; n < count; n++) left.push(await ask(killed));
  const { service, clock } = await openFixtureService({ storage: base, seed: "two", flags });
  clock.advance(1); // Ids of one millisecond have no order between processes.
  return { base, killed, left, service, clock };
}

const turnsOf = (service: Service): Promise<number[]> =>
  createMessages(service)
    .history(USER, SESSION, 64)
    .then((turns) => turns.map(({ message_id }) => message_id));

async function eventsOf(service: Service): Promise<number[]> {
  const events = (await collect(service.events.export())).map((line) => JSON.parse(line) as StoredEvent);
  return events.filter(({ session_id }) => session_id === SESSION).map(({ message_id }) => message_id!);
}

it("writes the turns and events that another process left out, each once, when they are not on their way", async () => {
  const { left, service, clock } = await leaveOut(2);
  const third = await ask(service);
  expect(await turnsOf(service)).toEqual([third]);
  clock.advance(LATE_MS);
  // What changed the ledger since does not hide them.
  for (let n = 0; n < 20; n++)
    await service.run("exchangePoints", { request_id: "r", user: USER }, { body: { token_amount: 1 } });
  const all = [...left, third, await ask(service)];
  expect(await turnsOf(service)).toEqual(all);
  expect((await eventsOf(service)).toSorted()).toEqual(all);
});

it("writes the event and the turn of an answer that opened a session, each once", async () => {
  const { base, killed, service, clock } = await leaveOut(0);
  const { data } = await killed.run("sendChat", { request_id: "r", user: USER }, { body: { question } });
  await killed.settled();
  const opened = data.message_id;
  const turn = ["users", USER, "sessions", String(opened)];
  expect(await base.get(turn)).toBeUndefined();
  clock.advance(LATE_MS);
  await ask(service);
  expect(await base.get(turn)).toBe(JSON.stringify({ message_id: 0 }));
  await ask((await openFixtureService({ storage: base, seed: "three" })).service);
  const events = (await collect(service.events.export())).map((line) => JSON.parse(line) as StoredEvent);
  expect(events.filter(({ message_id }) => message_id === opened)).toHaveLength(1);
});

it("leaves out the turn, too, where the event cannot be written, and writes both at a later question", async () => {
  const base = await openStorage("memory:");
  let isDown = false;
  const { left, service, clock } = await leaveOut(
    2,
    refusing(base, (key) => isDown && key.startsWith("events/")),
  );
  clock.advance(LATE_MS);
  isDown = true;
  const third = await ask(service);
  expect([await turnsOf(service), await eventsOf(service)]).toEqual([[], []]);
  isDown = false;
  clock.advance(LATE_MS);
  const all = [...left, third, await ask(service)];
  expect(await turnsOf(service)).toEqual(all);
  expect((await eventsOf(service)).toSorted()).toEqual(all);
});

it("brings back nothing of an answer that was erased, and no event that is too old to be kept", async () => {
  const { base, left, service, clock } = await leaveOut(2, undefined, { "retention.events_days": 2 });
  const key = ["messages", String(left[0])];
  await base.put(key, JSON.stringify({ ...JSON.parse((await base.get(key))!), question: "", answer: "-" }));
  clock.advance(5 * 86_400_000);
  const third = await ask(service);
  expect(await turnsOf(service)).toEqual([left[1], third]);
  expect(await eventsOf(service)).toEqual([third]);
});

it("writes what other answers lack where one cannot be read, and reports that one once", async () => {
  const { base, left, service, clock } = await leaveOut(3);
  await base.put(["messages", String(left[1])], "{");
  clock.advance(LATE_MS);
  const [fourth, fifth] = [await ask(service), await ask(service)];
  expect(await turnsOf(service)).toEqual([left[0], left[2], fourth, fifth]);
  expect((await eventsOf(service)).toSorted()).toEqual([left[0], left[2], fourth, fifth]);
});

it("writes a turn once where two processes found many missing at once", async () => {
  const { left, service } = await leaveOut(40);
  const [one, other] = [createMessages(service), createMessages(service)];
  const messages = await Promise.all(left.map(async (id) => (await one.get(id))!));
  const how = { generation: service.storage.generation(), among: 64 };
  for (const message of messages) await one.join(message, undefined, how);
  for (const message of messages) await other.join(message, undefined, how);
  expect(await turnsOf(service)).toEqual(left);
});

it("writes no turn into a storage that took the place of the one with the charge", async () => {
  const base = await openStorage("memory:");
  let exchanges = 0;
  const { service } = await openFixtureService({ storage: { ...base, generation: () => exchanges } });
  const messages = createMessages(service);
  const joined = messages.join(
    { user_id: USER, session_id: SESSION, message_id: 9 },
    Promise.resolve().then(() => exchanges++),
  );
  await expect(joined).rejects.toThrow("exchanged since the charge");
  expect(await turnsOf(service)).toEqual([]);
});
