import { setImmediate } from "node:timers/promises";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createUsers } from "../../src/accounts/users.ts";
import { storedValues } from "../../src/backup/storage-archive.ts";
import { collect } from "../../src/runtime/batches.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { isOutage, StorageError, type Key, type Storage } from "../../src/storage/storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { Stream } from "../../src/storage/stream.ts";
import { makeCertificates } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { inStep } from "../support/replication.ts";
import { until } from "../support/until.ts";
import { describeStorage } from "./describe-storage.ts";

/** No operation fails because the machine is busy, and none is sent again. */
const PATIENT = { timeout_ms: "30000" };

const PROFILE = { created_at: "2026-11-20T00:00:00.000Z", free_daily_quota: null, lang: "en" } as const;

const SECRET = "p@ss:w/rd%";

async function namesBelow(storage: Storage, ...prefix: string[]): Promise<string[]> {
  const names: string[] = [];
  for await (const segment of storage.children(prefix)) names.push(segment.text);
  return names.sort();
}

/** How often the server ran a command since it was asked last. */
async function callsOf(server: RedisServer, command: string): Promise<number> {
  const stats = String(await server.command("INFO", "commandstats"));
  await server.command("CONFIG", "RESETSTAT");
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

describe.skipIf(noRedis !== undefined)("on a real server", () => {
  /** Runs the suite on one server, each case under a prefix of its own. */
  function describeServer(name: string, start: () => Promise<RedisServer>): void {
    describe(name, () => {
      let server: RedisServer;
      let cases = 0;
      beforeAll(async () => {
        server = await start();
      });
      afterAll(() => server.stop());
      describeStorage(name, () => {
        const url = server.url({ prefix: `case-${++cases}`, ...PATIENT });
        return Promise.resolve({ connect: () => openStorage(url), clean: () => Promise.resolve() });
      });
    });
  }

  describeServer("Redis", () => startRedis());

  describeServer("Redis over TLS, with a password", async () => {
    const certificates = await makeCertificates();
    const server = await startRedis({ tls: certificates, password: SECRET });
    return { ...server, stop: () => server.stop().then(() => certificates.remove()) };
  });

  describe("Redis driver", () => {
    let server: RedisServer;
    beforeAll(async () => {
      server = await startRedis();
    });
    afterAll(() => server.stop());

    it("makes by one command what is created together, so that the server syncs once", async () => {
      const storage = await openStorage(server.url({ prefix: "together", ...PATIENT }));
      await storage.create(["a", "b"], "1");
      await callsOf(server, "evalsha");
      const keys = Array.from({ length: 20 }, (_, index) => [`user-${index}`, "a"]);
      expect(new Set(await Promise.all(keys.map((key) => storage.create(key, "1"))))).toEqual(new Set([true]));
      expect(await callsOf(server, "evalsha")).toBe(1);
      await storage.close();
    });

    it("creates what nobody waits for together with what somebody waits for", async () => {
      const storage = await openStorage(server.url({ prefix: "later", ...PATIENT }));
      const log = new Stream(storage, ["log", "a"], z.number());
      await storage.create(["a", "b"], "1");
      await callsOf(server, "evalsha");
      for (let item = 0; item < 20; item++) {
        const held = log.append(item, item, { later: true });
        await setImmediate();
        expect(await storage.create(["waited", String(item)], "1")).toBe(true);
        expect(await held).toBe("created");
      }
      // Each by itself would be 40 calls. On a busy machine the time of some is over before the other comes.
      expect(await callsOf(server, "evalsha")).toBeLessThan(40);
      // Also where nothing else comes, and where they are more than one script makes.
      const logs = Array.from({ length: 129 }, (_, index) => new Stream(storage, ["many", String(index)], z.number()));
      const made = await Promise.all(logs.map((each) => each.append(0, 1, { later: true })));
      expect(new Set(made)).toEqual(new Set(["created"]));
      await storage.close();
    });

    it("answers half of many callers while the others prepare, so that neither side waits for the other", async () => {
      const storage = await openStorage(server.url({ prefix: "halves", ...PATIENT }));
      await storage.create(["a", "b"], "1");
      await callsOf(server, "evalsha");
      await Promise.all(
        Array.from({ length: 32 }, async (_, caller) => {
          for (const round of ["1", "2", "3"]) await storage.create([`user-${caller}`, round], "1");
        }),
      );
      // All at once would be three calls, each alone 96; how replies meet decides between.
      const calls = await callsOf(server, "evalsha");
      expect(calls).toBeGreaterThan(3);
      expect(calls).toBeLessThan(10);
      await storage.close();
    });

    it("does not take a value of another type for an absent one, whatever is read with it", async () => {
      const storage = await openStorage(server.url({ prefix: "types", ...PATIENT }));
      await storage.put(["u", "text"], "1");
      expect(
        await storage.getMany([
          ["u", "text"],
          ["u", "none"],
        ]),
      ).toEqual(["1", undefined]);
      await server.command("RPUSH", "types:{u:list}", "1");
      const damage = "The stored value of u/list is damaged: WRONGTYPE";
      await expect(
        storage.getMany([
          ["u", "text"],
          ["u", "none"],
          ["u", "list"],
        ]),
      ).rejects.toThrow(damage);
      const damaged: string[] = [];
      const values = await collect(storedValues(storage, (message) => damaged.push(message)));
      expect([values, damaged]).toEqual([[{ key: "u:text", value: "1" }], [expect.stringContaining(damage)]]);
      await storage.put(["users", "ben", "profile"], JSON.stringify({ ...PROFILE, user_id: "ben" }));
      await server.command("RPUSH", "types:{users:ann}:profile", "1");
      const users = createUsers({ storage, clock: fixedClock(0), ttl_ms: 0 });
      damaged.length = 0;
      const listed = await collect(users.list((message) => damaged.push(message)));
      expect(listed).toEqual([{ ...PROFILE, user_id: "ben" }]);
      expect(damaged).toEqual([
        expect.stringContaining("ann: The stored value of users/ann/profile is damaged: WRONGT"),
      ]);
      await storage.close();
    });

    it("makes each of them for itself, whatever becomes of the others", async () => {
      const storage = await openStorage(server.url({ prefix: "each", ...PATIENT }));
      await storage.put(["u", "taken"], "1");
      await server.command("RPUSH", "each:{u:list}", "1");
      const made = await Promise.allSettled([
        storage.create(["u", "first"], "1"),
        storage.create(["u", "taken"], "2"),
        storage.create(["u", "list"], "2"),
        storage.createAfter(["u", "follows-list"], "2", { key: ["u", "list"], value: "1" }),
        storage.createAfter(["u", "follows-nothing"], "2", { key: ["u", "nothing"] }),
        storage.createAfter(["u", "follows-another"], "2", { key: ["u", "taken"], value: "2" }),
        storage.createAfter(["u", "taken"], "2", { key: ["u", "nothing"] }),
        storage.createAfter(["u", "taken"], "2", { key: ["u", "taken"], value: "2" }),
        storage.createAfter(["u", "follows"], "2", { key: ["u", "taken"], value: "1" }),
        storage.create(["u", "last"], "1"),
      ]);
      expect(made.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : String(outcome.reason))))
        .toMatchInlineSnapshot(`
          [
            true,
            false,
            "CorruptionError: The stored value of u/list is damaged: WRONGTYPE Operation against a key holding the wrong kind of value",
            "gap",
            "gap",
            "failover",
            "conflict",
            "conflict",
            "created",
            true,
          ]
        `);
      expect(await namesBelow(storage, "u")).toEqual(["first", "follows", "last", "list", "taken"]);
      await storage.close();
    });

    it("sends many and large ones by several commands", async () => {
      const storage = await openStorage(server.url({ prefix: "many", ...PATIENT }));
      await Promise.all(Array.from({ length: 20 }, (_, index) => storage.create(["a", String(index)], "1")));
      await callsOf(server, "evalsha");
      const keys = Array.from({ length: 300 }, (_, index) => [`user-${index}`, "a"]);
      expect(new Set(await Promise.all(keys.map((key) => storage.create(key, "1"))))).toEqual(new Set([true]));
      // Half of the twenty first, then as many as a call takes.
      expect(await callsOf(server, "evalsha")).toBe(4);
      const large = "x".repeat(600_000);
      expect(await Promise.all([1, 2, 3].map((n) => storage.create([`user-${n}`, "b"], large)))).toEqual([
        true,
        true,
        true,
      ]);
      expect(await callsOf(server, "evalsha")).toBe(3);
      expect(await storage.get(["user-3", "b"])).toBe(large);
      await storage.close();
    });

    it("reports what it created although this process was too busy to hear the answers", async () => {
      const storage = await openStorage(server.url({ prefix: "busy" }));
      await storage.create(["a", "b"], "1");
      let round = 0;
      const made = await until("the next connection came in time", async () => {
        const key = (index: number): Key => ["a", `${round}-${index}`];
        const creations = Promise.all(Array.from({ length: 30 }, (_, index) => storage.create(key(index), "1")));
        await setImmediate();
        // Longer than any command and any silence may last.
        for (const end = performance.now() + 1500; performance.now() < end;);
        round += 1;
        // On a busy machine it may come too late for the second try, which is reported as an outage.
        return creations.catch((error: unknown) => {
          if (!isOutage(error)) throw error;
          return undefined;
        });
      });
      expect(new Set(made)).toEqual(new Set([true]));
      await storage.close();
    });

    it("refuses a database that the server does not have, and writes to no other one", async () => {
      const url = server.url({ prefix: "no-database" }).replace("/0?", "/99?");
      const storage = await openStorage(url);
      for (const action of [
        () => storage.get(["a", "b"]),
        () => storage.put(["a", "b"], "1"),
        () => storage.create(["a", "c"], "1"),
      ]) {
        await expect(action()).rejects.toThrow(/ refuses: it has no database of that number/);
      }
      expect(await server.command("KEYS", "no-database:*")).toEqual([]);
      await storage.close();
    });

    it("says that its URL names a replica", async () => {
      const replica = await startRedis();
      await replica.command("REPLICAOF", "127.0.0.1", server.port);
      await inStep(server, replica); // Until then it may load for longer than a client waits.
      const storage = await openStorage(replica.url());
      await expect(storage.create(["a", "b"], "1")).rejects.toThrow(/ refuses: READONLY: it is a replica/);
      await expect(storage.put(["a", "b"], "1")).rejects.toThrow(/ refuses: READONLY: it is a replica/);
      await storage.close();
      await replica.stop();
    });

    it("keeps prefixes and databases apart, even where one is a pattern of another", async () => {
      const urls = ["a.b", "aXb", "a.b:c", "a", "a-b", "a_b"].map((prefix) => server.url({ prefix }));
      urls.push(urls[0]!.replace("/0?", "/1?"));
      const storages = await Promise.all(urls.map((url) => openStorage(url)));
      for (const [index, storage] of storages.entries()) {
        expect(await storage.create(["users", "alice", "profile"], String(index))).toBe(true);
        await storage.put([`only-${index}`, "x"], "1");
        await storage.put(["single"], String(index));
      }
      for (const [index, storage] of storages.entries()) {
        expect(await storage.get(["users", "alice", "profile"])).toBe(String(index));
        expect(await storage.get(["single"])).toBe(String(index));
        expect(await namesBelow(storage)).toEqual([`only-${index}`, "single", "users"]);
        expect(await namesBelow(storage, "users", "alice")).toEqual(["profile"]);
        await storage.close();
      }
    });

    it("keeps all that belongs to one user in one slot", async () => {
      const storage = await openStorage(server.url({ prefix: "slots" }));
      await storage.put(["users", "Zoë}{", "profile"], "1");
      await new Stream(storage, ["users", "Zoë}{", "ledger"], z.number()).append(0, 1);
      const keys = (await server.command("KEYS", "slots:*")) as string[];
      const tags = keys.map((key) => /^slots:\{(users:[^{}:]+)\}/.exec(key)?.[1]);
      expect(tags[0]).toBeDefined();
      expect(tags).toEqual(Array(3).fill(tags[0]));
      await storage.close();
    });

    it("reads a page of a stream with one command", async () => {
      const storage = await openStorage(server.url({ prefix: "pages" }));
      const stream = new Stream(storage, ["users", "alice", "ledger"], z.object({ n: z.int() }));
      for (let n = 0; n < 60; n++) await stream.append(n, { n });
      await callsOf(server, "mget");
      expect(await stream.read(11, 60)).toHaveLength(50);
      const stats = String(await server.command("INFO", "commandstats"));
      expect(/cmdstat_mget:calls=(\d+)/.exec(stats)?.[1]).toBe("1");
      expect(stats).not.toContain("cmdstat_get:");
      await storage.close();
    });

    it("lists every user once, over as many scans as it takes", async () => {
      const storage = await openStorage(server.url({ prefix: "many", ...PATIENT }));
      const users = Array.from({ length: 2500 }, (_, index) => `u${index}`);
      // All at once would keep this process from hearing that it is connected.
      for (let n = 0; n < users.length; n += 100) {
        const some = users.slice(n, n + 100);
        await Promise.all(some.flatMap((user) => ["a", "b"].map((name) => storage.put(["users", user, name], "1"))));
      }
      expect(await namesBelow(storage, "users")).toEqual(users.sort());
      const keys = new Set<string>();
      for await (const key of storage.keys(["users", "u7"])) keys.add(key.map(({ text }) => text).join("/"));
      expect([...keys].sort()).toEqual(["users/u7/a", "users/u7/b"]);
      await storage.close();
    });

    it("says that the server is full, and keeps the stored values", async () => {
      const full = await startRedis({ config: { maxmemory: "3mb", "maxmemory-policy": "noeviction" } });
      const storage = await openStorage(full.url());
      const fill = async (): Promise<void> => {
        for (let n = 0; ; n++) await storage.create(["fill", String(n)], "x".repeat(50_000));
      };
      const failure = fill();
      await expect(failure).rejects.toThrow(StorageError);
      await expect(failure).rejects.toThrow(/OOM|maxmemory/);
      expect(await storage.get(["fill", "0"])).toHaveLength(50_000);
      await storage.close();
      await full.stop();
    });

    it("never takes a value for absent while the server is still loading its data", async () => {
      const slow = await startRedis({
        config: { appendonly: "yes", "key-load-delay": "4000", "loading-process-events-interval-bytes": "1024" },
      });
      const storage = await openStorage(slow.url());
      for (let n = 0; n < 200; n++) await storage.put(["a", String(n)], "1");
      await slow.kill();
      const restarted = slow.restart();
      let answer: unknown = "refused";
      while (answer === "refused") {
        answer = await storage.get(["a", "199"]).catch((error: unknown) => {
          expect(error).toBeInstanceOf(StorageError);
          return "refused";
        });
      }
      expect(answer).toBe("1");
      await restarted;
      await storage.close();
      await slow.stop();
    });
  });

  describe("Redis that cannot be reached", () => {
    it("fails every operation in time with one clear sentence, and recovers when it comes up", async () => {
      const server = await startRedis({ config: { appendonly: "yes" } });
      const storage = await openStorage(server.url());
      await storage.put(["a", "b"], "1");
      await server.kill();
      const start = performance.now();
      const failures = await Promise.allSettled([
        storage.get(["a", "b"]),
        storage.has(["a", "b"]),
        storage.getMany([
          ["a", "b"],
          ["a", "c"],
        ]),
        storage.create(["a", "c"], "1"),
        storage.put(["a", "b"], "2"),
        storage.remove(["a", "b"]),
        namesBelow(storage, "a"),
      ]);
      expect(performance.now() - start).toBeLessThan(15_000);
      for (const failure of failures) {
        expect(failure.status).toBe("rejected");
        const error = (failure as PromiseRejectedResult).reason as Error;
        expect(error).toBeInstanceOf(StorageError);
        expect(error.message).toMatch(/^Cannot \w+ a.*|^Redis at /);
        expect(error.message).toContain("ECONNREFUSED");
        expect(error.message).not.toContain("\n");
      }
      await server.restart();
      // Also for one who asks again and again without a pause.
      const get = (): Promise<string | undefined> => storage.get(["a", "b"]).catch(() => undefined);
      expect(await until("it was back", get, { every: 0 })).toBe("1");
      await storage.close();
      await server.stop();
    });

    it("shows a password nowhere: not in its URL, not in an error, not in what a log would show of it", async () => {
      const server = await startRedis({ password: SECRET });
      const encoded = encodeURIComponent(SECRET);
      const open = async (url: string): Promise<unknown[]> => {
        const storage = await openStorage(url);
        const seen: unknown[] = [storage.url];
        for (const use of [() => storage.create(["a", "b"], "private value"), () => storage.get(["a", "b"])]) {
          seen.push(
            await use().then(
              () => "no failure",
              (error: unknown) => error,
            ),
          );
        }
        await storage.close();
        return seen;
      };
      const wrong = server.url().replace(encoded, `${encoded}x`);
      const right = await open(server.url());
      expect(right.slice(1)).toEqual(["no failure", "no failure"]);
      const refused = await open(wrong);
      expect(String(refused[1])).toMatch(/password|WRONGPASS|NOAUTH/);
      const port = await freePort();
      const nobody = await open(wrong.replace(String(server.port), String(port)));
      expect(String(nobody[1])).toContain("ECONNREFUSED");
      await server.kill();
      const address = await openStorage(`${wrong}?surprise=1`).catch((error: unknown) => error);
      for (const text of [...right, ...refused, ...nobody, address].map((shown) => inspect(shown, { depth: 20 }))) {
        expect(text).not.toContain(SECRET);
        expect(text).not.toContain(encoded);
        expect(text).not.toContain("private value");
      }
      await server.stop();
    });
  });
});
