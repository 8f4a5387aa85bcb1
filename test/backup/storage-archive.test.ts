import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { verifyLedgers } from "../../src/ledger/verify-ledgers.ts";
import { storedValue, storedValues, type StoredValue } from "../../src/backup/storage-archive.ts";
import { sessionTrace } from "../../src/assistant/sessions/messages.ts";
import { restoreStorage } from "../../src/backup/restore-storage.ts";
import { StorageError, EncodedSegment, type Key, type Storage } from "../../src/storage/storage.ts";
import { interceptStorage } from "../../src/storage/intercept-storage.ts";
import { Stream } from "../../src/storage/stream.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { encodeKey } from "../../src/storage/keys.ts";
import { UNFINISHED_IMPORT } from "../../src/storage/keys.ts";
import { allOf, fillLedgers, openLedger, post, USERS } from "../support/ledgers.ts";
import { collect } from "../../src/runtime/batches.ts";
import { temporaryFolder } from "../support/folder.ts";
import { watchedStorage } from "../support/watched-storage.ts";

let source: Storage;
let target: Storage;

beforeAll(async () => {
  source = await openStorage("memory:");
  await fillLedgers(source, 40);
  await source.put(["ready", "probe"], "{}");
});

beforeEach(async () => {
  target = await openStorage("memory:");
});

it("copies every value to the letter, but what a storage keeps about itself", async () => {
  await take(storedValues(source));
  await target.remove(UNFINISHED_IMPORT);
  const all = await allOf(source);
  all.delete("ready/probe");
  expect([...(await allOf(target))]).toEqual([...all]);
});

it("counts exactly the values that were stored when a write fails", async () => {
  for (const last of [0, 1, 100, 300]) {
    target = await openStorage("memory:");
    let created = 0;
    const full = interceptStorage(target, (verb, key, run) => {
      if (verb === "create" && key[0] !== "import" && ++created > last) return Promise.reject(new StorageError("full"));
      return run();
    });
    const progress = { values: 0, present: 0 };
    await expect(restoreStorage(full, storedValues(source), progress)).rejects.toThrow("full");
    expect([progress.values, progress.present]).toEqual([(await allOf(target)).size - 1, 0]);
  }
});

it("copies sound ledgers while others write to them", async () => {
  const live = await openStorage("memory:");
  await fillLedgers(live, 20);
  let steps = 0;
  let posted = 0;
  // All along the copy, up to a limit, somebody else appends an entry to one of the ledgers.
  const meanwhile = async (): Promise<void> => {
    steps += 1;
    if (steps % 4 === 0 && posted < 150) await post(live, USERS[posted % USERS.length]!, `meanwhile ${posted++}`);
  };
  const busy = watchedStorage(live, async ({ verb }) => {
    if (verb !== "has") await meanwhile();
    return "pass" as const;
  });
  const listing: Storage = {
    ...busy,
    async *keys(prefix) {
      // What appears while it is listed is listed too, as far as it comes late.
      const seen = new Set<string>();
      for (let before = -1; before < seen.size;) {
        before = seen.size;
        for await (const key of live.keys(prefix)) {
          const name = key.map(({ text }) => text).join(":");
          if (seen.has(name)) continue;
          seen.add(name);
          await meanwhile();
          yield key;
        }
      }
    },
  };
  await take(storedValues(listing));
  expect(posted).toBe(150);
  for await (const { user_id, entries, damage } of verifyLedgers(target, { trace: sessionTrace })) {
    expect(damage).toBeUndefined();
    expect(entries).toBeGreaterThan(20);
    for await (const entry of openLedger(target).entries(user_id)) {
      if (entry.id < entries && entry.operation.repeatable) {
        expect((await (await openLedger(target).open(user_id)).find(operationOf(entry.operation.id)))?.id).toBe(
          entry.id,
        );
      }
    }
  }
});

it("finishes what was interrupted, also when the source has changed since", async () => {
  let creates = 0;
  const failing = watchedStorage(target, ({ verb }) => (verb === "create" && ++creates === 150 ? "fail" : "pass"));
  await expect(take(storedValues(source), failing)).rejects.toThrow(StorageError);
  expect(await target.has(UNFINISHED_IMPORT)).toBe(true);
  await post(source, "alice", "since");
  await source.put(["users", "alice", "profile"], (await source.get(["users", "alice", "profile"]))!.replace("7", "8"));
  await take(storedValues(source));
  const all = await allOf(source);
  all.delete("ready/probe");
  await target.remove(UNFINISHED_IMPORT);
  expect([...(await allOf(target))]).toEqual([...all]);
});

it("refuses a storage that is not empty, and an item of a stream that is another one", async () => {
  const key: Key = ["users", "bob", "profile"];
  await target.put(key, "{}");
  await expect(take(storedValues(source))).rejects.toThrow("is not empty: it has users/bob/profile");
  await target.remove(key);
  const broken = watchedStorage(target, ({ verb }) => (verb === "getMany" ? "fail" : "pass"));
  await expect(take(storedValues(source), broken)).rejects.toThrow(StorageError);
  await target.put(["users", "alice", "ledger", "0", "1"], "{}");
  await expect(take(storedValues(source))).rejects.toThrow("has a different value at users/alice/ledger/0/1");
});

it("copies what comes after a gap too, and reports it", async () => {
  const damaged = await openStorage("memory:");
  await fillLedgers(damaged, 20);
  await damaged.remove(["users", "alice", "ledger", "0", "5"]);
  const faults: string[] = [];
  await take(storedValues(damaged, (fault) => faults.push(fault)));
  await target.remove(UNFINISHED_IMPORT);
  expect(faults).toEqual(["users/alice/ledger/0/5 is missing while a later item exists."]);
  expect([...(await allOf(target))]).toEqual([...(await allOf(damaged))]);
});

it("leaves out each value that was cut off, and names it", async () => {
  const damaged = await openStorage("memory:");
  await fillLedgers(damaged, 20);
  await damaged.put(["events", "2026-11-20", "0", "1"], '{"batch_id":"b","events":[]}');
  await damaged.put(["vectors", "space", "hash"], "AAECAwQ="); // The only texts that are not JSON: vectors,
  await damaged.put(["news", "snapshot", "2"], "@1 5\n=1\n"); // and patches of snapshots.
  const whole = await allOf(damaged);
  const cut: string[] = [];
  for (const [index, [key, text]] of [...whole].entries()) {
    if (!/^(?:users\/alice\/(?:profile|subscription|ledger\/0\/7)|messages\/|tokens\/|events\/)/.test(key)) continue;
    await damaged.put(keyOf(key), text.slice(0, index % 2 === 0 ? 0 : text.length - 1));
    cut.push(key);
  }
  const faults: string[] = [];
  const archived = await collect(storedValues(damaged, (fault) => faults.push(fault)));
  expect(new Set(cut.map((key) => key.split("/")[0]))).toEqual(new Set(["users", "messages", "tokens", "events"]));
  expect(faults.map((fault) => /^The stored value of (\S+) is damaged: /.exec(fault)?.[1]).sort()).toEqual(cut.sort());
  expect(archived).toHaveLength(whole.size - cut.length);
});

it("copies what comes before a lost end, and reports it", async () => {
  for (const on of [undefined, await temporaryFolder()]) {
    if (on !== undefined) onTestFinished(on.remove);
    const damaged = await openStorage(on === undefined ? "memory:" : `fs:${on.path}`);
    await fillLedgers(damaged, 5);
    const { version: end } = await openLedger(damaged).open("alice");
    await damaged.remove(["users", "alice", "ledger", "0", String(end)]);
    const faults: string[] = [];
    const archived = await collect(storedValues(damaged, (fault) => faults.push(fault)));
    const lost = `users/alice/ledger/0/${end} is damaged: the item is missing, although it or a later one was stored`;
    expect([...new Set(faults)]).toEqual([`The stored value of ${lost}`]); // The index of operations leads there too.
    expect(archived).toHaveLength((await allOf(damaged)).size);
  }
});

it.each(["operations", "head"] as const)(
  "reports entries lost with all their files, to which %s leads",
  async (led) => {
    for (const lost of ["the end", "the folder"]) {
      const on = await temporaryFolder();
      onTestFinished(on.remove);
      const damaged = await openStorage(`fs:${on.path}`);
      await fillLedgers(damaged, 4);
      const { version: end } = await openLedger(damaged).open("alice");
      const own = join(on.path, "users/alice");
      await damaged.put(["users", "alice", "ledger", "head"], String(end));
      expect(await collect(storedValues(damaged, expect.unreachable))).not.toEqual([]);
      const files = lost === "the folder" ? ["0"] : [`0/${end}.json`, "0/.last"];
      for (const file of files) await rm(join(own, "ledger", file), { recursive: true });
      if (led === "head") await rm(join(own, "operations"), { recursive: true });
      else await rm(join(own, "ledger/head.json"));
      const faults: string[] = [];
      await collect(storedValues(damaged, (fault) => faults.push(fault)));
      const key = `users/alice/ledger/0/${end}`;
      expect(faults.at(-1)).toBe(
        `The stored value of ${key} is damaged: the item is missing, although it or a later one was stored`,
      );
      expect(faults.filter((fault) => !fault.includes("users/alice/ledger"))).toEqual([]);
      await damaged.close();
    }
  },
);

it("reports a stream of which the only item is lost", async () => {
  for (const on of [undefined, await temporaryFolder()]) {
    if (on !== undefined) onTestFinished(on.remove);
    const damaged = await openStorage(on === undefined ? "memory:" : `fs:${on.path}`);
    await fillLedgers(damaged, 1);
    const log = new Stream(damaged, ["events", "2026-11-20"], z.number());
    await log.append(0, 1);
    await log.append(1, 2);
    await damaged.put(["events", "2026-11-20", "head"], "1");
    for (const version of [2, 1]) await damaged.remove(log.keyOf(version));
    await damaged.remove(["users", "alice", "ledger", "0", "1"]);
    const faults: string[] = [];
    const archived = await collect(storedValues(damaged, (fault) => faults.push(fault)));
    const lost = "is damaged: the item is missing, although it or a later one was stored";
    expect([...new Set(faults)].sort()).toEqual(
      ["events/2026-11-20/0/1", "users/alice/ledger/0/1"].map((key) => `The stored value of ${key} ${lost}`),
    );
    expect(archived).toHaveLength((await allOf(damaged)).size);
  }
});

it("leaves out a key that no storage of anp has, and reports it", async () => {
  const damaged = await openStorage("memory:");
  await fillLedgers(damaged, 3);
  const sound = [...(await allOf(damaged))];
  await damaged.create(
    ["..", "..", "evil"].map((text) => new EncodedSegment(text)),
    "{}",
  );
  await damaged.create(["users", "alice", "ledger", new EncodedSegment("."), "1"], "{}");
  const faults: string[] = [];
  await take(storedValues(damaged, (fault) => faults.push(fault)));
  await target.remove(UNFINISHED_IMPORT);
  expect([...(await allOf(target))]).toEqual(sound);
  expect(faults.sort()).toEqual([
    '"..:..:evil" is not a key that anp writes.',
    '"users:alice:ledger:.:1" is not a key that anp writes.',
  ]);
});

it("takes a line with a key as storages serialize it, of any user", () => {
  for (const user of ["alice", "..", ".", "a:b", "../x", "Ümit/1", "\u{feff}x", "A", "é".repeat(64), "x".repeat(128)]) {
    expect(storedValue.safeParse({ key: encodeKey(["users", user, "profile"]), value: "" }).success, user).toBe(true);
  }
});

it("takes a key of the longest segments that a file system can hold", () => {
  const key = Array.from({ length: 8 }, (_, at) => `~~${String(at).repeat(64)}`).join(":");
  expect(storedValue.safeParse({ key, value: "" }).success).toBe(true);
});

it.for([
  "",
  "..",
  "..:..:evil",
  "users:.:profile",
  "users::profile",
  "users:",
  ":users",
  "users:../evil",
  "users:..\\evil",
  "/etc:passwd",
  "users:a b",
  "users:A",
  "users:a.json",
  "users:a\n",
  "users:é",
  "users:\0",
  `users:${"a".repeat(65)}`,
  "users:~",
  "users:~00",
  "users:~c3",
  "users:~2",
  "users:~2E",
  "users:~61",
  "users:~2e/..",
  `users:~${"2e".repeat(65)}`,
  "users:~~",
  "users:~~..",
  `users:~~${"a".repeat(63)}`,
  `users:~~${"A".repeat(64)}`,
  `users:~~${"a".repeat(64)}/..`,
  `users:${"a:".repeat(7)}a`,
  `users:${"a:".repeat(5000)}a`,
])("refuses a line with the key %j", (key) => {
  const { error } = storedValue.safeParse({ key, value: "" });
  expect(error?.issues[0]?.message).toBe(`${JSON.stringify(key)} is not a key that anp writes`);
});

function operationOf(id: string) {
  return { id, request: id.replace("key:", ""), origin: { in: "header", path: "Idempotency-Key" } } as const;
}

function take(values: AsyncIterable<StoredValue>, storage = target): Promise<void> {
  return restoreStorage(storage, values, { values: 0, present: 0 });
}

/** The key of its readable form, of which `:` is not part. */
const keyOf = (printed: string): Key => printed.split("/").map((text) => new EncodedSegment(text));
