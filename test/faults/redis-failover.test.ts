import { describe, expect, it, onTestFinished } from "vitest";
import { isOutage, StorageError, type Storage } from "../../src/storage/storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { noRedis } from "../support/redis-available.ts";
import { startRedisPair, type RedisPair } from "../support/redis-pair.ts";
import { until } from "../support/until.ts";
import { SEED, soak } from "./load/options.ts";
import { seeded } from "./load/seeded.ts";
import { addUsers, giveOnePoint, ledgerOn, outcomeOf, startLedgerLoad } from "./redis-ledger-load.ts";

/** How many failovers of each kind. */
const FAILOVERS = soak?.count ?? 1;
const USERS = ["alice", "bob", "carol"];
/** What two dozen operations may take together on a busy machine, ms: one after the other, each would take over a second. */
const IN_TIME = 15_000;

async function newPair(): Promise<RedisPair> {
  const pair = await startRedisPair();
  onTestFinished(() => pair.stop());
  return pair;
}

async function open(url: string): Promise<Storage> {
  const storage = await openStorage(url);
  onTestFinished(() => storage.close());
  return storage;
}

describe.skipIf(noRedis !== undefined)("failover to a replica", () => {
  const ways = [
    { name: "in step, without WAIT", query: {}, behind: false },
    { name: "behind, without WAIT", query: {}, behind: true },
    { name: "in step, with WAIT", query: { wait_replicas: "1", wait_ms: "200" }, behind: false },
    { name: "behind, with WAIT", query: { wait_replicas: "1", wait_ms: "200" }, behind: true },
  ];

  it.each(ways)(
    `keeps ledgers whole over ${FAILOVERS} failovers to a replica that is $name (seed ${SEED})`,
    async ({ name, query, behind }) => {
      const waits = "wait_replicas" in query;
      const pair = await newPair();
      const storages = await Promise.all(Array.from({ length: 3 }, () => open(pair.url(query))));
      await addUsers(storages[0]!, USERS);
      const load = startLedgerLoad({ storages, users: USERS, clients: 9, again: true });
      const choice = seeded(SEED, name);
      const more = (count: number): Promise<unknown> => {
        const enough = load.acknowledged.size + count;
        return until("enough operations were acknowledged", () => load.acknowledged.size >= enough);
      };
      for (let round = 0; round < FAILOVERS; round++) {
        await more(50 + choice.below(50));
        if (behind) {
          pair.holdReplica();
          // With WAIT nothing is acknowledged any more; without, what is from now on will be lost.
          const [enough, refused] = [load.acknowledged.size + 20 + choice.below(30), load.refused()];
          await until("operations were acknowledged or refused", () =>
            waits ? load.refused() > refused || load.acknowledged.size >= enough : load.acknowledged.size >= enough,
          );
        }
        await pair.failOver();
        await pair.repair();
        await more(10);
      }
      // The ledgers grow while they are read, as long as the load runs.
      await load.stop();
      const outcome = await outcomeOf(storages[0]!, USERS, load.acknowledged);
      console.log(
        `${FAILOVERS} failovers, replica ${name}, seed ${SEED}: ${load.acknowledged.size} acknowledged, ` +
          `${outcome.lost.length} lost, ${outcome.doubled.length} doubled`,
      );
      expect(outcome.doubled).toEqual([]);
      expect(outcome.faults).toEqual([]);
      if (waits) expect(outcome.lost).toEqual([]);
      // So the test would see it, if acknowledged operations were lost.
      if (behind && !waits) expect(outcome.lost.length).toBeGreaterThan(0);
    },
    180_000 + FAILOVERS * 10_000,
  );

  it("does not answer a repeat with success before a replica has the entry", async () => {
    const pair = await newPair();
    const storage = await open(pair.url({ wait_replicas: "1", wait_ms: "100" }));
    const other = await open(pair.url({ wait_replicas: "1", wait_ms: "100" }));
    await addUsers(storage, ["alice"]);
    const post = (on: typeof storage, id = "once"): Promise<string> =>
      giveOnePoint(ledgerOn(on), "alice", id, true).then(
        ({ entry, replayed }) => `${replayed ? "replayed" : "made"} ${entry.id}`,
        (error: unknown) => (isOutage(error) ? "unknown" : String(error)),
      );
    pair.holdReplica();
    expect(await post(storage)).toBe("unknown");
    // The entry is there, on the primary alone.
    expect((await ledgerOn(storage).open("alice")).version).toBe(1);
    expect(await post(storage)).toBe("unknown");
    expect(await post(other)).toBe("unknown");
    await pair.releaseReplica();
    await until("the repeat was answered", async () => (await post(other)) === "replayed 1");
    await pair.failOver();
    await pair.repair();
    await until("the storage was back", async () => (await post(storage)) === "replayed 1");
    expect((await ledgerOn(storage).open("alice")).account.balance).toBe(1);
  });

  it("does not acknowledge a creation whose connection is cut before a replica has it", async () => {
    const pair = await newPair();
    const storage = await open(pair.url({ wait_replicas: "1", wait_ms: "100" }));
    // A busy replica may take longer than is waited here.
    const put = (): Promise<boolean> =>
      storage.put(["a", "b"], "1").then(
        () => true,
        () => false,
      );
    await until("a replica confirmed a write", put);
    pair.holdReplica();
    // The next try, on another connection, finds the value there and has nothing to write.
    let cut = false;
    pair.address.decide(({ direction, command }) => {
      if (cut || direction === "request" || command[0] !== "wait") return "pass";
      cut = true;
      return "cut";
    });
    await expect(storage.create(["a", "c"], "1")).rejects.toThrow(StorageError);
    expect(cut).toBe(true);
  });

  it("shows what is there after entries were lost, and makes them again when they are asked for again", async () => {
    const pair = await newPair();
    const storage = await open(pair.url());
    await addUsers(storage, ["alice"]);
    const ledger = ledgerOn(storage);
    const post = async (id: string): Promise<string> => {
      const { entry, replayed } = await giveOnePoint(ledger, "alice", id, true);
      return `${replayed ? "replayed" : "made"} ${entry.id}`;
    };
    expect(await post("kept")).toBe("made 1");
    await pair.releaseReplica();
    pair.holdReplica();
    expect(await post("lost")).toBe("made 2");
    expect(await post("lost too")).toBe("made 3");
    await pair.failOver();
    await pair.repair();
    const standing = await until("the storage was back", () => ledger.open("alice").catch(() => undefined));
    expect(standing).toMatchObject({ version: 1, account: { balance: 1 } });
    expect(await (await ledger.open("alice")).page(1, 10)).toMatchObject({ total: 1, entries: [{ id: 1 }] });
    expect(await post("new")).toBe("made 2");
    expect(await post("lost")).toBe("made 3");
    expect(await post("kept")).toBe("replayed 1");
    expect(await post("lost")).toBe("replayed 3");
  });

  it("refuses a line of callers in time while no replica confirms", async () => {
    const pair = await newPair();
    const storage = await open(pair.url({ wait_replicas: "1", wait_ms: "200" }));
    await addUsers(storage, ["alice"]);
    const ledger = ledgerOn(storage);
    pair.holdReplica();
    const start = performance.now();
    const line = await Promise.allSettled(
      Array.from({ length: 24 }, (_, index) => giveOnePoint(ledger, "alice", `op-${index}`, true)),
    );
    expect(performance.now() - start).toBeLessThan(IN_TIME);
    expect(line.map(({ status }) => status)).toEqual(line.map(() => "rejected"));
  });
});
