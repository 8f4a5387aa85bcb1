import { beforeEach, expect, it } from "vitest";
import { openDay } from "../../src/events/log/day-log.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { type Storage, CorruptionError } from "../../src/storage/storage.ts";
import { contents, openEvents, question, TODAY } from "./open-events.ts";

const BATCHES = 40;
let storage: Storage;

const nameOf = (version: number): string => `user${version}`;
const line = (user_id: string): string =>
  JSON.stringify({ event_id: user_id, created_at: `${TODAY}T10:00:00.000Z`, ...question(user_id, "Who?") });

beforeEach(async () => {
  storage = await openStorage("memory:");
  const { events } = openEvents(storage);
  for (let version = 1; version <= BATCHES; version++) await events.record(question(nameOf(version), "Who?"));
});

const DAMAGES: readonly [string, (key: ReturnType<ReturnType<typeof openDay>["keyOf"]>) => Promise<void>][] = [
  ["cut short", async (key) => storage.put(key, (await storage.get(key))!.slice(0, 20))],
  ["emptied", (key) => storage.put(key, "")],
  ["removed", (key) => storage.remove(key)],
];

it.each(DAMAGES)("leaves out batches that were %s, names each of them, and shows all others", async (_, damage) => {
  const log = openDay(storage, TODAY);
  const damaged = [1, 2, 16, 17, 18, 39, 40];
  for (const version of damaged) await damage(log.keyOf(version));
  const { events } = openEvents(storage);
  const named: string[] = [];
  const users: string[] = [];
  for await (const text of events.export({}, (error) => named.push(error.key))) {
    users.push((JSON.parse(text) as { user_id: string }).user_id);
  }
  const left = Array.from({ length: BATCHES }, (__, index) => index + 1).filter(
    (version) => !damaged.includes(version),
  );
  expect(users).toEqual(left.map(nameOf));
  const shown = named.map((key) => Number(key.split("/").at(-1)));
  // Of a log whose end is gone, only the first batch is known to be missing.
  expect(shown).toEqual(shown.includes(40) ? damaged : damaged.slice(0, -1));
  expect(await events.stats({}, () => undefined)).toMatchObject({ events: left.length });
  const [hot] = await events.hotQuestions({ days: 1, limit: 5, min_users: 1 });
  expect(hot!.count).toBe(left.length);
  await expect(contents(events)).rejects.toThrow(CorruptionError);
});

it("replays into a day with a damaged batch, and stores again what was in it", async () => {
  await storage.put(openDay(storage, TODAY).keyOf(7), "{");
  const { events } = openEvents(storage);
  await events.replay([line("new"), line("other")]);
  const users: string[] = [];
  for await (const text of events.export({}, () => undefined))
    users.push((JSON.parse(text) as { user_id: string }).user_id);
  expect(users).toHaveLength(BATCHES - 1 + 2);
  expect(await events.replay([line("new"), line("other")])).toMatchObject({ stored: 0 });
});
