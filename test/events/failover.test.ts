import { expect, it } from "vitest";
import { openDay } from "../../src/events/log/day-log.ts";
import { StorageError, type Storage } from "../../src/storage/storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";
import { contents, openEvents, question, TODAY } from "./open-events.ts";

/** A storage that can lose the last batches of today's log, as a Redis does that fails over to a replica. */
async function lossyStorage(): Promise<{ storage: Storage; lose: (batches: number) => Promise<void> }> {
  const plain = await openStorage("memory:");
  let generation = 0;
  let losing = Promise.resolve();
  const storage: Storage = {
    ...plain,
    generation: () => generation,
    // A loss takes no time: nothing is appended in the middle of one.
    append: (...given) => losing.then(() => plain.append(...given)),
  };

  async function loseLast(batches: number): Promise<void> {
    const log = openDay(storage, TODAY);
    const head = await log.head();
    for (let version = head; version > head - batches; version--) await storage.remove(log.keyOf(version));
    await storage.put([...log.name, "head"], String(head - batches));
    generation += 1;
  }

  return { storage, lose: (batches) => (losing = loseLast(batches)) };
}

const line = (user_id: string): string =>
  JSON.stringify({ event_id: user_id, created_at: `${TODAY}T10:00:00.000Z`, ...question(user_id, "Who?") });

const HOT = { days: 1, limit: 5, min_users: 1 };

it("goes on appending where the log ends when the server lost what was appended last", async () => {
  const { storage, lose } = await lossyStorage();
  const { events } = openEvents(storage);
  for (const user of ["a", "b", "c", "d"]) await events.record(question(user, "Who?"));
  await lose(3);
  expect(await events.record(question("e", "Who?"))).toEqual({ event_id: `${TODAY}-2-0`, stored: true });
  expect((await contents(events)).map((text) => (JSON.parse(text) as { user_id: string }).user_id)).toEqual(["a", "e"]);
});

it("stores a keyed event once though what its claim had seen was lost, and its address was not noted", async () => {
  const { storage, lose } = await lossyStorage();
  let cut = false;
  const failing = interceptStorage(storage, (verb, key, run) => {
    if (cut && verb === "put" && key[2] === "event-keys") throw new StorageError("cut");
    return run();
  });
  const { events } = openEvents(failing);
  for (const user of ["a", "b", "c", "d", "e"]) await events.record(question(user, "Who?"));
  await lose(3);
  cut = true;
  const first = await events.record(question("f", "Who?"), "k");
  expect(first).toEqual({ event_id: `${TODAY}-3-0`, stored: true });
  const { events: others } = openEvents(storage, { seed: "two" });
  for (const user of ["g", "h", "i"]) await others.record(question(user, "Who?"));
  expect(await others.record(question("f", "Who?"), "k")).toEqual({ ...first, replayed: true });
  expect((await contents(others)).filter((text) => text.includes('"f"'))).toHaveLength(1);
});

it("does not acknowledge a keyed event again before it is as safe as one that was", async () => {
  let unsafe = false;
  const storage = interceptStorage(await openStorage("memory:"), (verb, key, run) => {
    // Seen on the primary, while no replica confirms.
    if (unsafe && verb === "confirm") throw new StorageError("0 of 1 replicas confirmed");
    if (unsafe && verb === "put" && key[2] === "event-keys") throw new StorageError("cut");
    return run();
  });
  const { events } = openEvents(storage);
  unsafe = true;
  const first = await events.record(question("a", "Who?"), "k");
  expect(await openEvents(storage).events.record(question("a", "Who?"), "k")).toMatchObject({ stored: false });
  unsafe = false;
  const { events: later } = openEvents(storage);
  expect(await later.record(question("a", "Who?"), "k")).toEqual({ ...first, replayed: true });
  unsafe = true;
  expect(await later.record(question("a", "Who?"), "k")).toMatchObject({ stored: false });
});

it("goes on replaying, and stores again what was lost", async () => {
  const { storage, lose } = await lossyStorage();
  const { events } = openEvents(storage);
  const lines = async function* (): AsyncGenerator<string> {
    // A chunk ends after so many lines.
    for (let n = 0; n < 2048; n++) yield line(`first ${n}`);
    await lose(2);
    for (let n = 0; n < 10; n++) yield line(`second ${n}`);
    for (let n = 0; n < 2048; n++) yield line(`first ${n}`);
  };
  const report = await events.replay(lines());
  expect(report.rejected_total).toBe(0);
  expect(new Set(await contents(events)).size).toBe(2058);
  expect(await contents(events)).toHaveLength(2058);
});

it("counts what the log holds now when the server lost events that were counted", async () => {
  const { storage, lose } = await lossyStorage();
  const { events } = openEvents(storage);
  for (const user of ["a", "b", "c", "d"]) await events.record(question(user, "Who?"));
  expect(await events.hotQuestions(HOT)).toMatchObject([{ count: 4 }]);
  await lose(3);
  await events.record(question("e", "Who?"));
  expect(await events.hotQuestions(HOT)).toMatchObject([{ count: 2 }]);
});
