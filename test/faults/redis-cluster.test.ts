import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { redisKey } from "../../src/storage/redis/redis-keys.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { noRedis } from "../support/redis-available.ts";
import { startCluster, type RedisCluster, type Shard } from "../support/redis-cluster.ts";
import { inStep } from "../support/replication.ts";
import { until } from "../support/until.ts";
import { SEED, soak } from "./load/options.ts";
import { seeded } from "./load/seeded.ts";
import { addUsers, outcomeOf, startLedgerLoad, type LedgerLoad } from "./redis-ledger-load.ts";

/** How many slots are moved under load. */
const MOVES = soak?.count ?? 6;
/** How often a primary is lost; a long run also does it without WAIT. */
const FAILOVERS = soak?.count ?? 1;
/** What an operation may take, 2 s, and what a machine busy with other tests may add, ms. */
const IN_TIME = 20_000;
const WAIT = { wait_replicas: "1", wait_ms: "200" };

describe.skipIf(noRedis !== undefined)("a cluster of three primaries and their replicas, under load", () => {
  let cluster: RedisCluster;
  const opened: Storage[] = [];
  let prefix = 0;

  beforeAll(async () => {
    cluster = await startCluster({ replicas: 1, lossMs: 1000, config: { appendonly: "yes" } });
  });
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
  });
  afterAll(() => cluster.stop());

  /** Connections to fresh data, one for each query, and two users of each shard. */
  async function world(...queries: object[]): Promise<{ storages: Storage[]; users: Map<Shard, string[]> }> {
    const name = `p${++prefix}`;
    const storages = await Promise.all(queries.map((query) => openStorage(cluster.url({ ...query, prefix: name }))));
    opened.push(...storages);
    const users = new Map<Shard, string[]>(cluster.shards.map((shard) => [shard, []]));
    for (let number = 0; [...users.values()].some(({ length }) => length < 2); number++) {
      const slot = await slotOf(name, `u${number}`);
      const there = users.get(
        cluster.shards.find(({ firstSlot, lastSlot }) => firstSlot <= slot && slot <= lastSlot)!,
      )!;
      if (there.length < 2) there.push(`u${number}`);
    }
    await addUsers(storages[0]!, [...users.values()].flat());
    return { storages, users };
  }

  function slotOf(name: string, user: string): Promise<number> {
    return cluster.slotOf(redisKey(name, `users:${user}`));
  }

  async function more(load: LedgerLoad, count: number): Promise<void> {
    const enough = load.acknowledged.size + count;
    await until("enough operations were acknowledged", () => load.acknowledged.size >= enough);
  }

  it(
    `loses and doubles no entry while ${MOVES} slots are moved (seed ${SEED})`,
    async () => {
      const { storages, users } = await world({}, {}, WAIT);
      const all = [...users.values()].flat();
      const load = startLedgerLoad({ storages, users: all, clients: 9, again: true });
      const choice = seeded(SEED, "moves");
      const homes = new Map([...users].flatMap(([shard, theirs]) => theirs.map((user) => [user, shard] as const)));
      const owners = new Map(homes);
      const move = async (user: string, to: Shard): Promise<void> => {
        const from = owners.get(user)!;
        if (from === to) return;
        await cluster.moveSlot(await slotOf(`p${prefix}`, user), from, to);
        owners.set(user, to);
      };
      for (let moved = 0; moved < MOVES; moved++) {
        await more(load, 20);
        const user = choice.pick(all);
        await move(user, choice.pick(cluster.shards.filter((shard) => shard !== owners.get(user))));
      }
      await more(load, 20);
      await load.stop();
      for (const [user, home] of homes) await move(user, home);
      const outcome = await outcomeOf(storages[0]!, all, load.acknowledged);
      console.log(
        `${MOVES} slots moved, seed ${SEED}: ${load.acknowledged.size} acknowledged, ${load.refused()} tries refused, ` +
          `longest try ${Math.round(load.longest())} ms`,
      );
      expect(outcome).toEqual({ entries: load.acknowledged.size, lost: [], doubled: [], faults: [] });
    },
    180_000 + MOVES * 1000,
  );

  it("refuses the users of a shard that is silent in time, serves the others, and goes on when it is back", async () => {
    // With WAIT, as the replica may take over from the primary when both are back.
    const { storages, users } = await world(WAIT, WAIT);
    const [[silent, theirs], ...rest] = [...users] as [[Shard, string[]], ...[Shard, string[]][]];
    const others = rest.flatMap(([, names]) => names);
    // Four dozen clients wait in line for two users: a second for each would be too long.
    const refused = startLedgerLoad({ storages, users: theirs, clients: 48, again: true });
    const served = startLedgerLoad({ storages, users: others, clients: 4, again: true });
    await Promise.all([more(refused, 20), more(served, 20)]);

    const nodes = [silent, ...silent.replicas];
    for (const { server } of nodes) server.pause();
    await until("the users of the silent shard were refused", () => refused.refused() >= 96);
    await more(served, 50);
    for (const { server } of nodes) server.resume();
    await cluster.healthy();
    await Promise.all([more(refused, 20), more(served, 20)]);

    await Promise.all([refused.stop(), served.stop()]);
    console.log(
      `a shard silent: refused within ${Math.round(refused.longest())} ms; ` +
        `the others waited ${Math.round(served.longest())} ms at most`,
    );
    expect(refused.longest()).toBeLessThan(IN_TIME);
    expect(served.longest()).toBeLessThan(IN_TIME);
    for (const [load, names] of [[refused, theirs], [served, others]] as const) {
      const outcome = await outcomeOf(storages[0]!, names, load.acknowledged);
      expect(outcome).toEqual({ entries: load.acknowledged.size, lost: [], doubled: [], faults: [] });
    } // prettier-ignore
  });

  const ways = [{ name: "with WAIT", query: WAIT }, ...(FAILOVERS > 1 ? [{ name: "without WAIT", query: {} }] : [])];
  it.each(ways)(
    `goes on by itself when a replica takes a lost primary's place, $name, ${FAILOVERS} times`,
    async ({ name, query }) => {
      const { storages, users } = await world(query, query);
      const [[lost, theirs], ...rest] = [...users] as [[Shard, string[]], ...[Shard, string[]][]];
      const others = rest.flatMap(([, names]) => names);
      const cut = startLedgerLoad({ storages, users: theirs, clients: 4, again: true });
      const spared = startLedgerLoad({ storages, users: others, clients: 4, again: true });
      const pair = [lost, ...lost.replicas];
      const isPrimary = async ({ server }: (typeof pair)[number]): Promise<boolean> =>
        String(await server.command("ROLE").catch(() => "down")).startsWith("master");
      const waits: number[] = [];
      for (let failover = 0; failover < FAILOVERS; failover++) {
        await Promise.all([more(cut, 20), more(spared, 20)]);
        const roles = await Promise.all(pair.map(isPrimary));
        const primary = pair[roles.indexOf(true)]!;
        const replica = pair[roles.indexOf(false)]!;
        await inStep(primary.server, replica.server);
        const killed = performance.now();
        await primary.server.kill();
        await until("the replica was the primary", () => isPrimary(replica));
        // With WAIT the new primary needs a replica of its own.
        await primary.server.restart();
        await more(cut, 20);
        waits.push(Math.round(performance.now() - killed));
        await cluster.healthy();
      }
      await more(spared, 20);
      await Promise.all([cut.stop(), spared.stop()]);
      expect(cut.longest()).toBeLessThan(IN_TIME);
      expect(spared.longest()).toBeLessThan(IN_TIME);
      const outcome = await outcomeOf(storages[0]!, theirs, cut.acknowledged);
      console.log(
        `primary lost, ${name}: its users went on after ${waits.join(", ")} ms; ` +
          `${cut.acknowledged.size} acknowledged, ${outcome.lost.length} lost`,
      );
      expect(outcome).toMatchObject({ doubled: [], faults: [] });
      if (query === WAIT) expect(outcome.lost).toEqual([]);
      const untouched = await outcomeOf(storages[0]!, others, spared.acknowledged);
      expect(untouched).toEqual({ entries: spared.acknowledged.size, lost: [], doubled: [], faults: [] });
    },
    180_000 + FAILOVERS * 15_000,
  );
});
