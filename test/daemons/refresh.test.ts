import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createTokens } from "../../src/accounts/tokens.ts";
import { createUsers } from "../../src/accounts/users.ts";
import { parseSnapshot, type SnapshotRecord } from "../../src/news/snapshot/snapshot-document.ts";
import { createSnapshotStore } from "../../src/news/snapshot/snapshot-store.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { systemRandom } from "../../src/runtime/random.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { rss } from "../news/world.ts";
import { serveHere, type DaemonHere } from "../cli/anp.ts";
import { startDaemon, type Daemon } from "../support/daemon.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { SHARED_STORAGES, type SharedStorageKind } from "./shared-storages.ts";

/** Long enough for a live process to give a sign of life in, also on a busy machine. */
const TAKEOVER_S = 60;

/** What is undone after each test, the last first. */
const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanup.splice(0).reverse()) await undo();
});

/** A feed whose answers are given by hand, one for each request. */
interface HeldFeed {
  readonly url: string;
  /** Waits for the request of that number, counted from 0, and gives the way to answer it. */
  request(number: number): Promise<(title: string) => void>;
  readonly requests: readonly ServerResponse[];
}

async function openFeed(onRequest?: (response: ServerResponse) => void): Promise<HeldFeed> {
  const requests: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    requests.push(response);
    onRequest?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`,
    requests,
    async request(number) {
      const response = await until(`request ${number} of the feed comes`, () => requests[number]);
      return (title) => response.end(feedOf(title));
    },
  };
}

function feedOf(title: string): string {
  return rss([{ title, link: `https://wire.example/${encodeURIComponent(title)}`, at: Date.now() - 60_000 }]);
}

/** Daemons on one storage with one feed, and a token of a user there. */
async function openWorld(open: SharedStorageKind["open"], feed: HeldFeed, interval_s: number) {
  const shared = await open();
  cleanup.push(shared.remove);
  const folder = await temporaryFolder();
  cleanup.push(folder.remove);
  const config = join(folder.path, "anp.json");
  const news = {
    sources: [{ id: "wire", name: "Wire", lang: "en", url: feed.url, allow_private: true }],
    refresh_interval_s: interval_s,
    min_interval_ms: interval_s === 0 ? 0 : 10_000,
    takeover_s: TAKEOVER_S,
    timeout_ms: 60_000,
  };
  await writeFile(config, JSON.stringify({ news }));

  const storage = await openStorage(shared.url);
  cleanup.push(() => storage.close());
  await createUsers({ storage, clock: systemClock, ttl_ms: 0 }).create("ops", {});
  const onDamage = (_: number, error: Error): never => {
    throw error;
  };
  const store = createSnapshotStore(storage, onDamage);
  const seen: SnapshotRecord[] = [];
  const tokens = createTokens({ storage, clock: systemClock, random: systemRandom, ttl_ms: 0 });
  const { secret } = await tokens.issue("ops");

  let ahead_ms = 0;
  const clock = { now: () => Date.now() + ahead_ms };
  const args = ["--config", config, "--storage", shared.url];
  return {
    async start(): Promise<Daemon> {
      const daemon = await startDaemon([...args, "--log-level", "debug"]);
      cleanup.push(() => daemon.end("SIGKILL"));
      return daemon;
    },
    /** In this process: it cannot be killed. */
    async startHere(): Promise<DaemonHere> {
      const daemon = await serveHere([...args, "--log-level", "debug"], { cwd: folder.path, clock });
      cleanup.push(() => daemon.end());
      return daemon;
    },
    /** Sets the clock of the daemons in this process so far ahead that they take others for dead, or as it was. */
    setAhead(isAhead: boolean): void {
      ahead_ms = isAhead ? TAKEOVER_S * 1000 : 0;
    },
    async refresh({ url }: Pick<Daemon, "url">, mode: "view" | "full" = "view"): Promise<unknown> {
      const response = await fetch(`${url}/api/v1/news/refresh?mode=${mode}`, {
        method: "POST",
        headers: { "x-user-token": secret },
      });
      const { data } = (await response.json()) as { data: unknown };
      expect(response.status).toBe(200);
      return data;
    },
    async titles({ url }: Pick<Daemon, "url">): Promise<string[]> {
      const response = await fetch(`${url}/api/v1/news/hot`);
      const { data } = (await response.json()) as { data: { news: { title: string }[] } };
      return data.news.map(({ title }) => title).sort();
    },
    /** The snapshots that were published, as long as it is asked for often enough: old ones are removed. */
    async snapshots(): Promise<SnapshotRecord[]> {
      const newest = await store.newestNumber();
      for (let version = seen.length + 1; version <= newest; version++) {
        const text = (await store.read(version))!;
        seen.push(parseSnapshot({ version, text }).record);
      }
      return seen;
    },
  };
}

describe.each(SHARED_STORAGES)("daemons on $name", ({ open }) => {
  it("wait for a refresh of another daemon, and take over from one that stalls, whose work comes to nothing, or dies", async () => {
    const feed = await openFeed();
    const world = await openWorld(open, feed, 0);
    const starting = world.start();
    (await feed.request(0))("At the start");
    const doomed = await starting;
    await until("it shows its first refresh", async () => (await world.titles(doomed)).length === 1);
    const others = await Promise.all([world.startHere(), world.startHere()]);
    /** Asks the others to refresh, and waits until they wait for the one that is running. */
    const askOthers = async (): Promise<{ answers: Promise<unknown>[] }> => {
      const waits = (daemon: DaemonHere): number => daemon.log().split("waiting for it").length;
      const before = others.map(waits);
      const answers = others.map((daemon) => world.refresh(daemon));
      for (const [index, daemon] of others.entries()) {
        await until("it waits", () => waits(daemon) > before[index]!);
      }
      return { answers };
    };

    const first = world.refresh(doomed);
    const answer = await feed.request(1);
    const same = await askOthers();
    answer("One reads for all");
    for (const data of await Promise.all(same.answers)) expect(data).toEqual(await first);
    expect(await world.snapshots()).toHaveLength(2);

    const late = world.refresh(doomed);
    const answerLate = await feed.request(2);
    doomed.child.kill("SIGSTOP");
    answerLate("What the stalled one read");
    world.setAhead(true);
    const taken = world.refresh(others[0], "full");
    (await feed.request(3))("What is new");
    const published = await taken;
    doomed.child.kill("SIGCONT");
    expect(await late).toEqual(published);
    world.setAhead(false);

    const lost = world.refresh(doomed).catch(() => "cut off");
    await feed.request(4);
    const next = await askOthers();
    await doomed.end("SIGKILL");
    expect(await lost).toBe("cut off");
    world.setAhead(true);
    (await feed.request(5))("After the death");
    const [one, two] = await Promise.all(next.answers);
    expect(one).toEqual(two);

    for (const daemon of others) {
      expect(await world.titles(daemon)).toEqual([
        "After the death",
        "At the start",
        "One reads for all",
        "What is new",
      ]);
    }
    expect((await world.snapshots()).map(({ mode }) => mode)).toEqual(["full", "view", "full", "view"]);
    expect(feed.requests).toHaveLength(6);
  });

  it("refresh once an interval, however many they are, and show the newest", async () => {
    const feed = await openFeed((response) => response.end(feedOf(`Round ${feed.requests.length}`)));
    const world = await openWorld(open, feed, 1);
    const daemons = await Promise.all([world.startHere(), world.startHere()]);
    const rarely = { every: 100 };
    await until("some intervals have passed", async () => (await world.snapshots()).length >= 4, rarely);
    for (const daemon of daemons) {
      await until("it shows the third round", async () => {
        await world.snapshots();
        return (await world.titles(daemon)).includes("Round 3");
      });
    }
    for (const daemon of daemons) expect((await daemon.end()).code).toBe(0);
    const published = await world.snapshots();
    const gaps = published.slice(1).map(({ published_ms }, index) => published_ms - published[index]!.published_ms);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
    expect(feed.requests.length).toBeLessThanOrEqual(published.length + 1);
  });
});
