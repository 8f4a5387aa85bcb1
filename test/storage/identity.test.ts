import { randomUUID } from "node:crypto";
import { cp, lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { DurableFiles } from "../../src/storage/fs/durable-files.ts";
import { createFolderIdentity } from "../../src/storage/fs/fs-identity.ts";
import {
  acceptStorage,
  ExpectedIdentity,
  identifyStorage,
  IDENTITY,
} from "../../src/storage/identity/storage-identity.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { type Key, type Storage, StorageReplacedError } from "../../src/storage/storage.ts";
import { createLedger, type Ledger } from "../../src/ledger/ledger.ts";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { verifyLedger } from "../support/verify-ledger.ts";
import { temporaryFolder } from "../support/folder.ts";
import { noRedis } from "../support/redis-available.ts";
import { startCluster } from "../support/redis-cluster.ts";
import { startRedis } from "../support/redis-server.ts";
import { until } from "../support/until.ts";

const NEW = { expected: undefined, create: true };

async function identified(url: string): Promise<Storage> {
  const storage = await openStorage(url);
  onTestFinished(() => storage.close());
  await identifyStorage(storage, NEW);
  return storage;
}

async function idOf(storage: Storage): Promise<string> {
  return (JSON.parse((await storage.get(IDENTITY))!) as { id: string }).id;
}

const ledgerOn = (storage: Storage): Ledger =>
  createLedger({ storage, clock: systemClock, quotaRules: createQuotaRules("+08:00") });

function adjust(ledger: Ledger, delta: number) {
  const id = `key:${randomUUID()}`;
  return ledger.post("alice", {
    operation: { id, request: { delta }, origin: { in: "header", path: "Idempotency-Key" } },
    command: { type: "adjust", delta, reason: "test", actor: "ops" },
    ref_id: id,
    lang: "en",
  });
}

/** Everything that reads or writes fails. */
async function expectRefused(storage: Storage, key: Key = ["users", "alice", "x"]): Promise<void> {
  const list = async (): Promise<void> => {
    for await (const _ of storage.keys([])) return;
  };
  for (const call of [
    () => storage.create(key, "1"),
    () => storage.createAfter(key, "1", { key: [...key, "before"] }),
    () => storage.put(key, "1"),
    () => storage.remove(key),
    () => storage.get(key),
    () => storage.has(key),
    () => storage.getMany([key]),
    () => storage.verify(key),
    list,
  ]) {
    await expect(call(), String(call)).rejects.toThrow(StorageReplacedError);
  }
}

describe("what a process makes of the identity it finds", () => {
  const text = (id: string, accepted?: string): string => JSON.stringify({ id, accepted });

  it("takes its own alone, and another one once it is accepted after the loss was noticed", () => {
    const expected = new ExpectedIdentity();
    expect(expected.judge("x", text("any"))).toBeUndefined();
    expected.expect("a", false);
    expect(expected.judge("x", text("a"))).toBeUndefined();
    expect(expected.judge("x", text("b", "earlier"))?.message).toBe(
      "The storage at x should have the identity a, but has b.",
    );
    expect(expected.judge("x", text("b", "earlier"))).toBeDefined();
    expect(expected.judge("x", null)?.message).toContain("but has none");
    expect(expected.judge("x", "{damaged")).toBeDefined();
    expect(expected.judge("x", text("b", "now"))).toBeUndefined();
    expect(expected.judge("x", text("a"))).toBeDefined();
  });

  it("takes no other one where the configuration names it", () => {
    const expected = new ExpectedIdentity();
    expected.expect("a", true);
    expect(expected.judge("x", null)).toBeDefined();
    expect(expected.judge("x", text("b", "now"))).toBeDefined();
    expect(expected.judge("x", text("a", "now"))).toBeUndefined();
  });
});

describe("on files", () => {
  async function newFolder(): Promise<string> {
    const { path, remove } = await temporaryFolder();
    onTestFinished(remove);
    return join(path, "data");
  }

  it("is created once by processes that start together, and kept", async () => {
    const base = await newFolder();
    const found = await Promise.all(
      Array.from({ length: 8 }, async () => identifyStorage(await openStorage(`fs:${base}`), NEW)),
    );
    expect(new Set(found.map((one) => one?.id)).size).toBe(1);
    expect(await identifyStorage(await openStorage(`fs:${base}`), NEW)).toEqual(found[0]);
  });

  it("does not hide that an older copy took the folder's place: nothing that was read before is built on", async () => {
    const base = await newFolder();
    const storage = await identified(`fs:${base}`);
    const [first, second] = [ledgerOn(storage), ledgerOn(await openStorage(`fs:${base}`))];
    for (let number = 1; number <= 5; number++) await adjust(first, 10);
    await cp(base, `${base}-copy`, { recursive: true, preserveTimestamps: true });
    for (let number = 6; number <= 8; number++) await adjust(first, 100);
    await rename(base, `${base}-gone`);
    await rename(`${base}-copy`, base);
    expect((await first.open("alice")).account.balance).toBe(50);
    for (let number = 6; number <= 8; number++) await adjust(second, 1);
    expect((await adjust(first, 1)).entry.account.balance).toBe(54);
    expect(await verifyLedger(storage, "alice")).toMatchObject({ entries: 9, balance: 54 });
  });

  it("refuses a write that was decided by what was read of the folder before", async () => {
    const base = await newFolder();
    const storage = await identified(`fs:${base}`);
    await storage.put(["a"], "0");
    await cp(base, `${base}-copy`, { recursive: true, preserveTimestamps: true });
    await rename(base, `${base}-gone`);
    await rename(`${base}-copy`, base);
    await expect(storage.put(["a"], "1")).rejects.toThrow("was exchanged for a copy: try again");
    await storage.put(["a"], "1");
    expect(await storage.get(["a"])).toBe("1");
  });

  it("creates nothing behind a value that a copy has another of", async () => {
    const storage = await identified(`fs:${await newFolder()}`);
    await storage.put(["a", "1"], "one");
    const behind = (value: string) => storage.createAfter(["a", "2"], "two", { key: ["a", "1"], value });
    expect(await behind("other")).toBe("failover");
    expect(await behind("one")).toBe("created");
  });

  it("is not created by a command that only reads", async () => {
    const base = await newFolder();
    await mkdir(base);
    expect(await identifyStorage(await openStorage(`fs:${base}`), { ...NEW, create: false })).toBeUndefined();
    expect(await readdir(base)).toEqual([]);
  });

  it("refuses a storage without the expected one, or with another, before anything is written", async () => {
    const base = await newFolder();
    const expected = { expected: "x", create: true };
    await expect(identifyStorage(await openStorage(`fs:${base}`), expected)).rejects.toThrow("has none");
    await expect(lstat(base)).rejects.toThrow("ENOENT");
    const id = await idOf(await identified(`fs:${base}`));
    await expect(identifyStorage(await openStorage(`fs:${base}`), expected)).rejects.toThrow(
      `The storage at fs:${base} should have the identity x, but has ${id}.`,
    );
    expect(await acceptStorage(await openStorage(`fs:${base}`), "x")).toBe("x");
    expect(await identifyStorage(await openStorage(`fs:${base}`), expected)).toEqual({ id: "x", missing: 0 });
  });

  it.each([
    ["renamed", () => Promise.resolve()],
    ["renamed, an empty one in its place", (base: string) => mkdir(base)],
    ["renamed, a file in its place", (base: string) => writeFile(base, "")],
    ["renamed, another storage in its place", async (base: string) => void (await identified(`fs:${base}`))],
  ])(
    "refuses every call on a folder that was %s, does not make it again, and goes on when it is back",
    async (_, replace) => {
      const base = await newFolder();
      const storage = await identified(`fs:${base}`);
      await storage.put(["users", "alice", "profile"], "{}");
      await rename(base, `${base}-away`);
      await replace(base);
      const before = await listing(base);
      await expectRefused(storage);
      expect(await listing(base)).toEqual(before);
      expect((await storage.identity!.findLost()).lost).toHaveLength(1);

      const generation = storage.generation();
      await rm(base, { recursive: true, force: true });
      await rename(`${base}-away`, base);
      expect(await storage.get(["users", "alice", "profile"])).toBe("{}");
      expect(await storage.create(["users", "alice", "x"], "1")).toBe(true);
      expect(storage.generation()).toBeGreaterThan(generation);
    },
  );

  it("makes no folder again where the one that it knew is gone", async () => {
    const base = await newFolder();
    const files = new DurableFiles(base, () => {
      throw new StorageReplacedError("it is gone");
    });
    await expect(files.write(join(base, "users", "x.json"), "{}")).rejects.toThrow("it is gone");
    expect(await listing(base)).toBe("ENOENT");
  });

  it("does not acknowledge what was written while the folder was replaced", async () => {
    const base = await newFolder();
    const identity = createFolderIdentity(base, () => join(base, "mark"));
    await mkdir(base);
    await writeFile(join(base, "mark"), '{"id":"x"}');
    identity.expected.expect("x", false);
    const written = identity.around(() => rename(base, `${base}-away`));
    await expect(written).rejects.toThrow(StorageReplacedError);
  });

  it("goes on with an emptied folder once it is accepted", async () => {
    const base = await newFolder();
    const storage = await identified(`fs:${base}`);
    await rm(base, { recursive: true });
    await expectRefused(storage);
    const other = await openStorage(`fs:${base}`);
    const id = await acceptStorage(other, undefined);
    expect(await storage.create(["users", "alice", "x"], "1")).toBe(true);
    expect(await idOf(storage)).toBe(id);
  });
});

async function listing(path: string): Promise<string[] | string> {
  return readdir(path, { recursive: true }).catch((error: unknown) => (error as NodeJS.ErrnoException).code!);
}

describe.skipIf(noRedis !== undefined)("on a Redis", () => {
  it("refuses every call on a server that was emptied, and goes on when the identity is back", async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const storage = await identified(server.url());
    const text = (await storage.get(IDENTITY))!;
    await server.command("FLUSHALL");
    expect((await storage.identity!.findLost()).lost).toHaveLength(1);
    await expectRefused(storage);
    expect(await server.command("DBSIZE")).toBe(0);
    await server.command("SET", "anp:{ready:identity}", text);
    expect(await storage.identity!.findLost()).toEqual({ lost: [], parts: 1 });
    expect(await storage.create(["users", "alice", "x"], "1")).toBe(true);
  });

  it("sends nothing to a server that came back empty: it is checked before the first command", async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const storage = await identified(server.url({ prefix: "p" }));
    const waiting = await identified(server.url({ prefix: "p", wait_replicas: "1", wait_ms: "10" }));
    await server.restart();
    for (const one of [storage, waiting]) {
      const outcome = await until("the server answers", () =>
        one.create(["users", "alice", "x"], "1").then(
          () => "written",
          (error: unknown) => error instanceof StorageReplacedError && "refused",
        ),
      );
      expect(outcome).toBe("refused");
      await expectRefused(one);
    }
    expect(await server.command("DBSIZE")).toBe(0);
  });
});

describe.skipIf(noRedis !== undefined)("on a cluster", () => {
  it("refuses the users of a primary that lost its data, and serves those of the others", async () => {
    const cluster = await startCluster();
    onTestFinished(() => cluster.stop());
    // An earlier build made one mark, wherever it is.
    const early = await openStorage(cluster.url());
    onTestFinished(() => early.close());
    await until("the cluster takes writes", () =>
      early.put(IDENTITY, '{"id":"early"}').then(
        () => true,
        () => false,
      ),
    );
    expect(await identifyStorage(early, { ...NEW, create: false })).toBeUndefined();
    for (const user of ["a", "b", "c", "d", "e", "f"]) expect(await early.has(["users", user, "x"])).toBe(false);
    const storage = await identified(cluster.url());
    expect(await identifyStorage(early, { ...NEW, create: false })).toEqual({ id: "early", missing: 0 });
    const [shard] = cluster.shards;
    const users = await Promise.all(
      Array.from({ length: 12 }, async (_, number): Promise<[Key, boolean]> => {
        const slot = await cluster.slotOf(`anp:{users:u${number}}`);
        return [["users", `u${number}`, "x"], slot >= shard!.firstSlot && slot <= shard!.lastSlot];
      }),
    );
    expect(new Set(users.map(([, isLost]) => isLost)).size).toBe(2);
    // A slot that moves takes its mark along.
    const moved = await cluster.slotOf("anp:{ready:identity}");
    const from = cluster.shards.find(({ firstSlot, lastSlot }) => moved >= firstSlot && moved <= lastSlot)!;
    const to = cluster.shards.find((one) => one !== from && one !== shard)!;
    await cluster.moveSlot(moved, from, to);
    expect(await storage.identity!.findLost()).toEqual({ lost: [], parts: 3 });

    await shard!.server.command("FLUSHALL");
    // The client may take the slot that moved for one of this primary's a moment longer.
    const { lost, parts } = await until("it is noticed", async () => {
      const found = await storage.identity!.findLost();
      return found.lost.length > 0 && found;
    });
    expect([parts, lost.map(({ message }) => message)]).toEqual([
      3,
      [expect.stringContaining(`The storage at 127.0.0.1:${shard!.server.port} should have the identity `)],
    ]);
    for (const [key, isLost] of users) {
      if (isLost) await expectRefused(storage, key);
      else expect(await storage.create(key, "1")).toBe(true);
    }
    expect(await shard!.server.command("DBSIZE")).toBe(0);

    const other = await openStorage(cluster.url());
    await expect(identifyStorage(other, { expected: await idOf(storage), create: true })).rejects.toThrow("has none");
    await acceptStorage(other, undefined);
    await other.close();
    expect(await storage.identity!.findLost()).toEqual({ lost: [], parts: 3 });
    for (const [key, isLost] of users) expect(await storage.create(key, "1")).toBe(isLost);
  });
});
