import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isOutage, StorageError } from "../../src/storage/storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedisProxy, type Fate, type Message, type RedisProxy } from "../support/redis-proxy.ts";
import { startRedis, type RedisServer } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { SEED, soak } from "./load/options.ts";
import { seeded } from "./load/seeded.ts";
import { addUsers, outcomeOf, startLedgerLoad } from "./redis-ledger-load.ts";

/** How many connections are cut under load. */
const CUTS = soak?.count ?? 100;

/** What operations may take together on a busy machine, ms: each is to end within 2 s. */
const IN_TIME = 20_000;

/** A message is a write of ours, not a greeting of the client. */
const isWrite = ({ command }: Message): boolean => /^(set|eval|evalsha)$/i.test(command[0]!);

describe.skipIf(noRedis !== undefined)("a faulty network before Redis", () => {
  let server: RedisServer;
  let proxy: RedisProxy;
  let prefixes = 0;
  const through = (query: Record<string, string> = {}): string =>
    server.url({ prefix: `p${++prefixes}`, ...query }).replace(`:${server.port}/`, `:${proxy.port}/`);

  beforeAll(async () => {
    server = await startRedis();
    proxy = await startRedisProxy(server.port);
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
  });

  /** The fate given to the first message that fits; the others pass. */
  function once(fits: (message: Message) => boolean, fate: Fate): void {
    let done = false;
    proxy.decide((message) => {
      if (done || !fits(message)) return "pass";
      done = true;
      return fate;
    });
  }

  const isReply = (message: Message): boolean => message.direction === "reply" && isWrite(message);
  const isRequest = (message: Message): boolean => message.direction === "request" && isWrite(message);
  const faults: [string, (message: Message) => boolean, Fate][] = [
    ["the connection is cut before the write arrives", isRequest, "cut"],
    ["the connection is cut in the middle of the write", isRequest, { cutAt: 30 }],
    ["the connection is cut before the reply to an applied write", isReply, "cut"],
    ["the connection is cut in the middle of the reply", isReply, { cutAt: 2 }],
    ["the network falls silent before the write arrives", isRequest, "drop"],
    ["the network falls silent before the reply to an applied write", isReply, "drop"],
    ["the reply comes late", isReply, { after: 150 }],
    ["the write arrives late", isRequest, { after: 150 }],
  ];

  /** Does it with one key after the other until nothing is reported as an outage: on a busy machine, the next connection
   * may come too late. Gives what it said of the last key, and the key. */
  async function withoutOutage<T>(work: (key: string[]) => Promise<T>): Promise<{ said: T; key: string[] }> {
    let round = 0;
    return until("the next connection came in time", () => {
      const key = ["a", `b${round++}`];
      return work(key).then(
        (said) => ({ said, key }),
        (error: unknown) => {
          if (!isOutage(error)) throw error;
          return undefined;
        },
      );
    });
  }

  it.each(faults)("creates once and says so when %s", async (_, fits, fate) => {
    const storage = await openStorage(through({ timeout_ms: "100" }));
    const { said, key } = await withoutOutage(async (one) => {
      expect(await storage.get(one)).toBeUndefined();
      once(fits, fate);
      return storage.create(one, '{"by":"me"}');
    });
    expect(said).toBe(true);
    expect(await storage.create(key, '{"by":"another"}')).toBe(false);
    expect(await storage.create(key, '{"by":"me"}')).toBe(false);
    expect(await storage.get(key)).toBe('{"by":"me"}');
    await storage.close();
  });

  it.each(faults)("does not take another's value for its own when %s", async (_, fits, fate) => {
    const storage = await openStorage(through({ timeout_ms: "100" }));
    const { said, key } = await withoutOutage(async (one) => {
      expect(await storage.create(one, '{"by":"another"}')).toBe(true);
      once(fits, fate);
      return storage.create(one, '{"by":"me"}');
    });
    expect(said).toBe(false);
    expect(await storage.get(key)).toBe('{"by":"another"}');
    await storage.close();
  });

  it("gives replies to the commands they belong to when one is late", async () => {
    const storage = await openStorage(through({ timeout_ms: "100" }));
    const keys = Array.from({ length: 20 }, (_, index) => ["k", String(index)]);
    // Unlike an overwriting, a creation is tried again when this process was too busy to hear the answer.
    for (const key of keys) await storage.create(key, key[1]!);
    let late = 0;
    proxy.decide(({ direction, command }) =>
      direction === "reply" && command[0] === "get" && late++ % 5 === 0 ? { after: 150 } : "pass",
    );
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const key = keys[index % keys.length]!;
        const value = await storage.get(key).catch((error: unknown) => {
          expect(error).toBeInstanceOf(StorageError);
          return key[1];
        });
        return value === key[1];
      }),
    );
    expect(answers).not.toContain(false);
    proxy.decide(() => "pass");
    await storage.close();
  });

  it("makes one new connection after a cut, and keeps that", { retry: 3 }, async () => {
    const storage = await openStorage(through({ timeout_ms: "300" }));
    await storage.create(["a", "b"], "1");
    const before = proxy.connections();
    once(isReply, "cut");
    const longAfterEveryTimeout = performance.now() + 900;
    for (let n = 0; performance.now() < longAfterEveryTimeout; n++) {
      await storage.create(["a", String(n)], "1");
      await setTimeout(5);
    }
    expect(proxy.connections()).toBe(before + 1);
    await storage.close();
  });

  it("ends every operation in time while the network is silent, and recovers on a new connection", async () => {
    const storage = await openStorage(through());
    await storage.put(["a", "b"], "1");
    proxy.decide(() => "drop");
    const start = performance.now();
    const [read, write] = await Promise.allSettled([storage.get(["a", "b"]), storage.create(["a", "c"], "1")]);
    expect(performance.now() - start).toBeLessThan(IN_TIME);
    expect([read.status, write.status]).toEqual(["rejected", "rejected"]);
    proxy.decide(() => "pass");
    await expect.poll(() => storage.get(["a", "b"]).catch(() => "away")).toBe("1");
    await storage.close();
  });

  it("ends every operation in time while replies keep coming, each too late", async () => {
    const storage = await openStorage(through({ timeout_ms: "100" }));
    await storage.create(["a", "b"], "1");
    // The connection is never silent for long, and the last reply is a minute away.
    proxy.decide(({ direction }) => (direction === "reply" ? { after: 100 } : "pass"));
    const start = performance.now();
    await Promise.allSettled(Array.from({ length: 600 }, () => storage.get(["a", "b"])));
    expect(performance.now() - start).toBeLessThan(IN_TIME);
    proxy.decide(() => "pass");
    await storage.close();
  });

  it.each(["cut", "drop"] as const)("does not repeat an overwriting whose reply is lost (%s)", async (fate) => {
    const storage = await openStorage(through({ timeout_ms: "100" }));
    await storage.create(["a", "b"], "1");
    let writes = 0;
    proxy.decide((message) => {
      if (isRequest(message)) writes++;
      return isReply(message) ? fate : "pass";
    });
    await expect(storage.put(["a", "b"], "2")).rejects.toThrow("a write may have been applied");
    expect(writes).toBe(1);
    proxy.decide(() => "pass");
    await storage.close();
  });

  it(
    `keeps entries and operations one to one over ${CUTS} cut connections (seed ${SEED})`,
    async () => {
      const url = through({ timeout_ms: "100" });
      const storages = await Promise.all(Array.from({ length: 4 }, () => openStorage(url)));
      const users = ["alice", "bob", "carol"];
      await addUsers(storages[0]!, users);
      let cuts = 0;
      // What becomes of a message follows from the seed and its place alone.
      proxy.decide(({ connection, direction, number, bytes }) => {
        if (cuts >= CUTS) return "pass";
        const choice = seeded(SEED, connection, direction, number);
        const chance = choice.next();
        if (chance < 0.001) return "drop";
        if (chance < 0.01) return { after: choice.below(20) };
        if (chance >= 0.04) return "pass";
        cuts++;
        return chance < 0.03 ? "cut" : { cutAt: choice.below(bytes) };
      });
      const load = startLedgerLoad({ storages, users, clients: 12, again: true });
      await until(`${CUTS} connections were cut`, () => cuts >= CUTS, { within: 60_000 + CUTS * 500 });
      await load.stop();
      const fates = proxy.done.map(({ fate }) => (typeof fate === "string" ? fate : Object.keys(fate)[0]!));
      const counts = [...new Set(fates)].map((name) => `${name} ${fates.filter((fate) => fate === name).length}`);
      const outcome = await outcomeOf(storages[0]!, users, load.acknowledged);
      console.log(`seed ${SEED}: ${load.acknowledged.size} operations; ${counts.join(", ")}`);
      expect(load.unanswered.size).toBe(0);
      expect(outcome).toEqual({ entries: load.acknowledged.size, lost: [], doubled: [], faults: [] });
      for (const storage of storages) await storage.close();
    },
    180_000 + CUTS * 1000,
  );
});
