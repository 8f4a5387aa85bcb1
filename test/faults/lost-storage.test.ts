import { execFileSync } from "node:child_process";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { acceptStorage, identifyStorage } from "../../src/storage/identity/storage-identity.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { startDaemon, type Daemon } from "../support/daemon.ts";
import { temporaryFolder } from "../support/folder.ts";
import { noRedis } from "../support/redis-available.ts";
import { startCluster, type RedisCluster } from "../support/redis-cluster.ts";
import { startRedisProxy } from "../support/redis-proxy.ts";
import { startRedis } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { tokenOf } from "./load/daemon-process.ts";
import { soak } from "./load/options.ts";
import { createWorld, entriesOf } from "./load/world.ts";

/** A storage, and a way to lose it. */
interface Loss {
  readonly url: string;
  readonly lose: () => Promise<unknown>;
  /** Brings the same storage back. */
  readonly restore?: () => Promise<unknown>;
  /** How many values were written where the storage was lost. */
  readonly strays: () => Promise<number>;
  /** Whether this user's data were lost; all are when left out. */
  readonly losesUser?: (user: string) => Promise<boolean>;
  readonly end: () => Promise<unknown>;
}

async function folderLoss(replace: (base: string) => Promise<unknown>): Promise<Loss> {
  const { path, remove } = await temporaryFolder();
  const base = join(path, "data");
  let before: string[] = [];
  const listed = (): Promise<string[]> => readdir(base, { recursive: true }).catch(() => []);
  return {
    url: `fs:${base}`,
    async lose() {
      await rename(base, `${base}-away`);
      await replace(base);
      before = await listed();
    },
    async restore() {
      await rm(base, { recursive: true, force: true });
      await rename(`${base}-away`, base);
    },
    strays: async () => (await listed()).length - before.length,
    end: remove,
  };
}

async function unmounted(): Promise<Loss> {
  const { path, remove } = await temporaryFolder();
  const mount = join(path, "mount");
  await mkdir(mount);
  execFileSync("mount", ["-t", "tmpfs", "anp-test", mount]);
  return {
    url: `fs:${mount}`,
    lose: () => Promise.resolve(execFileSync("umount", ["-l", mount])),
    strays: async () => (await readdir(mount)).length,
    end: remove,
  };
}

async function serverLoss(lose: "flush" | "restart"): Promise<Loss> {
  const server = await startRedis();
  return {
    url: server.url(),
    lose: () => (lose === "flush" ? server.command("FLUSHALL") : server.restart()),
    strays: async () => Number(await server.command("DBSIZE")),
    end: () => server.stop(),
  };
}

async function anotherServer(): Promise<Loss> {
  const [server, other] = [await startRedis(), await startRedis()];
  const address = await startRedisProxy(server.port);
  const lead = (port: number): Promise<void> => {
    address.lead(port);
    address.cutAll();
    return Promise.resolve();
  };
  const filled = await openStorage(other.url());
  await identifyStorage(filled, { expected: undefined, create: true });
  await filled.close();
  return {
    url: server.url().replace(`:${server.port}/`, `:${address.port}/`),
    lose: () => lead(other.port),
    restore: () => lead(server.port),
    strays: async () => Number(await other.command("DBSIZE")) - 1,
    end: () => Promise.all([address.stop(), server.stop(), other.stop()]),
  };
}

async function shardLoss(lose: "flush" | "restart"): Promise<Loss> {
  // A primary that comes back without a file joins the others by its nodes.conf, with its slots.
  const cluster: RedisCluster = await startCluster({ lossMs: 1000 });
  const [shard] = cluster.shards;
  const { server, firstSlot, lastSlot } = shard!;
  return {
    url: cluster.url(),
    lose: () => (lose === "flush" ? server.command("FLUSHALL") : server.restart()),
    strays: async () => Number(await server.command("DBSIZE")),
    async losesUser(user) {
      // The user's ledger, or the document of the token.
      const slot = await cluster.slotOf(`anp:{users:${user}}`);
      return slot >= firstSlot && slot <= lastSlot;
    },
    end: () => cluster.stop(),
  };
}

const LOSSES: Readonly<Record<string, () => Promise<Loss>>> = {
  "a folder that is renamed": () => folderLoss(() => Promise.resolve()),
  "a folder with an empty one in its place": () => folderLoss((base) => mkdir(base)),
  "a folder with another storage in its place": () =>
    folderLoss(async (base) => {
      const storage = await openStorage(`fs:${base}`);
      await identifyStorage(storage, { expected: undefined, create: true });
    }),
  ...(process.getuid?.() === 0 ? { "a file system that is unmounted": unmounted } : {}),
  ...(noRedis === undefined
    ? {
        "a Redis after FLUSHALL": () => serverLoss("flush"),
        "a Redis that restarts empty": () => serverLoss("restart"),
        "another Redis at the address": anotherServer,
        "a primary of a cluster after FLUSHALL": () => shardLoss("flush"),
        "a primary of a cluster that restarts empty": () => shardLoss("restart"),
      }
    : {}),
};

const USERS = Array.from({ length: 12 }, (_, number) => `u${number}`);
const CLIENTS = 24;

/** An exchange that was asked for, and its answer. Times are of `performance.now()`. */
interface Exchanged {
  readonly user: string;
  readonly key: string;
  readonly status: number;
  readonly from: number;
  readonly to: number;
}

/** Clients that exchange and read balances all the while. */
function startLoad(daemon: Daemon): { readonly answers: Exchanged[]; stop(): Promise<unknown> } {
  const answers: Exchanged[] = [];
  let isOver = false;
  async function client(number: number): Promise<void> {
    for (let count = 0; !isOver; count++) {
      const user = USERS[(number + count) % USERS.length]!;
      const key = `${number}-${count}`;
      const from = performance.now();
      const response = await fetch(`${daemon.url}/api/v1/ai/points/exchange`, {
        method: "POST",
        headers: { "x-user-token": tokenOf(user), "content-type": "application/json", "idempotency-key": key },
        body: '{"token_amount":1}',
      });
      await response.arrayBuffer();
      answers.push({ user, key, status: response.status, from, to: performance.now() });
      // A refusal comes at once.
      if (!response.ok) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
  return {
    answers,
    stop() {
      isOver = true;
      return Promise.all(clients);
    },
  };
}

const lines: string[] = [];
afterAll(() => {
  if (lines.length > 0) console.log(lines.join("\n"));
});

// Too long for the short run: test/storage/identity.test.ts has each loss in process.
describe.skipIf(soak === undefined).each(Object.entries(LOSSES))("%s", (name, open) => {
  it("serves nothing from there once the loss is noticed, and goes on when it is back or accepted", async () => {
    const loss = await open();
    const world = await openStorage(loss.url);
    await createWorld(world, USERS, 0);
    const daemon = await startDaemon(["--storage", loss.url], { env: { ANP_LOG_LEVEL: "warn" } });
    const load = startLoad(daemon);
    const { answers } = load;
    const acknowledged = (): Exchanged[] => answers.filter(({ status }) => status === 200);
    const ready = async (): Promise<boolean> => (await fetch(`${daemon.url}/readyz`)).ok;
    const metric = async (gauge: string): Promise<string | undefined> =>
      new RegExp(`^${gauge} (.*)$`, "m").exec(await (await fetch(`${daemon.url}/metrics`)).text())?.[1];
    await until("there is load", () => acknowledged().length > 200);

    const isPart = loss.losesUser !== undefined;
    const lostUsers = new Set<string>();
    for (const user of USERS) if ((await loss.losesUser?.(user)) ?? true) lostUsers.add(user);
    const lostAt = performance.now();
    await loss.lose();
    await daemon.says("should have the identity");
    const noticedAt = performance.now();
    // So much goes on after it.
    await new Promise((resolve) => setTimeout(resolve, 6000));
    const later = answers.filter(({ from }) => from > noticedAt);
    const of = (all: readonly Exchanged[], isLost: boolean): Exchanged[] =>
      all.filter(({ user }) => lostUsers.has(user) === isLost);
    const acknowledgedAfter = of(later, true).filter(({ status }) => status === 200);
    const between = of(acknowledged(), true).filter(({ from, to }) => from > lostAt && to <= noticedAt);
    const others = of(later, false).filter(({ status }) => status === 200);
    const wrong = answers.filter(({ from, status }) => from > lostAt && ![200, 503].includes(status));
    const strays = await loss.strays();
    const down = [await ready(), await metric("anp_storage_up"), await metric("anp_storage_parts_lost")];

    const backAt = performance.now();
    if (loss.restore === undefined) {
      const storage = await openStorage(loss.url);
      await acceptStorage(storage, undefined);
      if (!isPart) await createWorld(storage, USERS, 0);
      await storage.close();
    } else await loss.restore();
    const expected = isPart ? (user: string) => !lostUsers.has(user) : () => true;
    await until("it goes on", () => acknowledged().some(({ user, from }) => from > backAt && expected(user)));
    await until("it is ready", ready);
    const back_s = (performance.now() - backAt) / 1000;
    await load.stop();
    lines.push(
      `${name}: noticed after ${Math.round(noticedAt - lostAt)} ms; acknowledged before ${between.length}, ` +
        `after ${acknowledgedAfter.length} of ${of(later, true).length}; written there ${strays}; ` +
        `other answers than 200 and 503: ${wrong.length}; ` +
        (isPart ? `${others.length} calls of other users served; ` : "") +
        `back after ${back_s.toFixed(1)} s`,
    );

    expect(acknowledgedAfter).toEqual([]);
    expect(wrong).toEqual([]);
    expect(noticedAt - lostAt).toBeLessThan(5000);
    expect(strays).toBe(0);
    expect(down).toEqual(isPart ? [true, "1", "1"] : [false, "0", "0"]);
    // Beside it, calls on a primary that restarts fail.
    const errors = daemon.log().match(isPart ? /"level":"error".*"msg":"The storage at/g : /"level":"error"/g);
    expect(errors).toHaveLength(1);
    if (isPart) expect(others.length).toBeGreaterThan(0);
    if (loss.restore !== undefined) {
      // Nothing that was acknowledged is lost, nothing is done twice.
      for (const user of USERS) {
        const made = (await entriesOf(world, user)).map(({ operation }) => operation.id.replace(/^.*:/, ""));
        expect(new Set(made).size).toBe(made.length);
        const keys = acknowledged().flatMap((one) => (one.user === user ? [one.key] : []));
        expect(keys.filter((key) => !made.includes(key))).toEqual([]);
      }
    }
    await daemon.end("SIGTERM");
    await world.close();
    await loss.end();
  });
});
