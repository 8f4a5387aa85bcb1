import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { newsConfig } from "../../src/config/news-config.ts";
import { createNews } from "../../src/news/news.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { serve } from "../news/server.ts";
import { folderOnDisk } from "../support/folder.ts";
import { startRedis } from "../support/redis-server.ts";
import { SEED, soak } from "./load/options.ts";
import { PLACES } from "./load/places.ts";
import { seeded } from "./load/seeded.ts";

const KILLS = soak?.count ?? 100;
const NOW = Date.parse("2026-11-20T12:00:00Z");
const PROGRAM = resolve(import.meta.dirname, "../../bin/anp.js");
const [SOURCES, ITEMS, NEW] = [5, 60, 6];
const STEMS = ["Ferry line", "Copper mine", "Harbour bank", "Lake bridge", "Night market", "Wind farm", "Paper mill"];
const ENDS = ["opens a second route", "halts work after a storm", "names a new head", "cuts its fees", "sues a rival"];

/** A feed in a round: a tenth of its items are new in each, and every story is told by two sources. */
function feedOf(source: number, round: number): string {
  const items = Array.from({ length: ITEMS }, (_, at) => {
    const story = (Math.floor(source / 2) * 10_000 + round * NEW + at) * 7;
    const title = `${STEMS[story % STEMS.length]} ${story} ${ENDS[(story / 7) % ENDS.length]}`;
    const date = new Date(NOW - (10_000 - (round * NEW + at)) * 60_000).toUTCString();
    const guid = `s${source}-${story}`;
    return `<item><guid isPermaLink="false">${guid}</guid><title>${title}</title><pubDate>${date}</pubDate></item>`;
  });
  return `<rss version="2.0"><channel>${items.join("")}</channel></rss>`;
}

/** What is stored: the items, and the topics with what is in them. */
async function contentOf(storage: Storage, config: object) {
  const news = createNews({
    ...{ config: newsConfig.parse(config), baseDir: ".", storage, clock: fixedClock(NOW), logger: silentLogger },
  });
  const { items } = await news.current();
  const { topics } = await news.topics({ limit: 10_000, lang: "en" });
  return {
    news,
    items: items.map(({ id, title, published_at }) => `${id} ${title} ${published_at}`).sort(),
    topics: topics.map(({ id, items: members }) => ({ id, members: members.map((member) => member.id).sort() })),
  };
}

type Topics = Awaited<ReturnType<typeof contentOf>>["topics"];

const membersOf = (topics: Topics): string[] => topics.map(({ members }) => members.join(" ")).sort();

/** The ids of topics that have another one now, though none of their items went elsewhere and no other topic joined them. */
function renamed(before: Topics, after: Topics): string[] {
  const homes = new Map(after.flatMap(({ id, members }) => members.map((member) => [member, id] as const)));
  const moved = before.map(({ id, members }) => [id, new Set(members.map((member) => homes.get(member)))] as const);
  const joined = moved.flatMap(([, now]) => Array.from(now));
  return moved.flatMap(([id, now]) => {
    const [home] = now;
    const isAlone = now.size === 1 && home !== undefined && joined.filter((other) => other === home).length === 1;
    return isAlone && home !== id ? [id] : [];
  });
}

async function openPlace(kind: string) {
  if (kind === "redis") {
    const redis = await startRedis();
    return { url: redis.url(), remove: () => redis.stop() };
  }
  const folder = await folderOnDisk();
  return { url: `fs:${folder.path}`, remove: folder.remove };
}

const kinds = PLACES.filter((kind) => kind !== "cluster" && kind === (soak?.storage ?? kind));

// Each process takes half a second to start; test/news has a publisher die at every write.
describe.skipIf(soak === undefined).each(kinds)("on %s, refreshes that are killed", (kind) => {
  it(`lose and double no item, and keep the ids of topics, in ${KILLS} kills`, async () => {
    const choice = seeded(SEED, kind, "refresh");
    const folder = await folderOnDisk();
    const place = await openPlace(kind);
    let round = 0;
    const server = await serve(({ url }, response) => response.end(feedOf(Number(url!.slice(1)), round)));
    const sources = Array.from({ length: SOURCES }, (_, at) => {
      return { id: `s${at}`, name: `Source ${at}`, lang: "en", url: `${server.url}/${at}`, allow_private: true };
    });
    const config = { sources, takeover_s: 1, max_items: 5000 };
    const file = join(folder.path, "anp.json");
    await writeFile(file, JSON.stringify({ storage: place.url, news: config }));

    /** Runs a refresh; how long it took, ms, and undefined where it was killed after so many. */
    async function refresh(killAfter?: number): Promise<number | undefined> {
      const args = [PROGRAM, "news", "refresh", "--config", file, "--now", new Date(NOW).toISOString()];
      const began = performance.now();
      const child = spawn(process.execPath, args, {
        stdio: ["ignore", "ignore", "inherit"],
        env: { PATH: process.env["PATH"] },
      });
      const ended = once(child, "exit");
      if (killAfter !== undefined) void delay(killAfter).then(() => child.kill("SIGKILL"));
      const [code, signal] = (await ended) as [number | null, string | null];
      expect([0, "SIGKILL"]).toContain(signal ?? code);
      return signal === null ? performance.now() - began : undefined;
    }

    const storage = await openStorage(place.url);
    const undisturbed = await openStorage("memory:");
    let took = (await refresh())!;
    await (await contentOf(undisturbed, config)).news.refresh("full");
    let { topics } = await contentOf(storage, config);
    let [killed, lost, all] = [0, 0, 0];
    for (round = 1; killed < KILLS; round++) {
      // Most of the time passes before the first write.
      const ended = await refresh(took * (0.5 + 0.5 * choice.next()));
      if (ended === undefined) killed += 1;
      const between = await contentOf(storage, config);
      lost += renamed(topics, between.topics).length;
      expect(new Set(between.items).size).toBe(between.items.length);
      took = (await refresh())! * 0.2 + took * 0.8;
      await (await contentOf(undisturbed, config)).news.refresh("full");
      const [found, expected] = [await contentOf(storage, config), await contentOf(undisturbed, config)];
      expect({ round, items: found.items }).toEqual({ round, items: expected.items });
      expect({ round, topics: membersOf(found.topics) }).toEqual({ round, topics: membersOf(expected.topics) });
      lost += renamed(between.topics, found.topics).length;
      topics = found.topics;
      all += topics.length;
    }
    // What is published before slow sources are read may divide a topic for a moment: then the greater part has the id.
    expect(lost / all).toBeLessThan(0.03);
    console.log(
      `${kind}: ${killed} refreshes killed, ${lost} of ${all} topics renamed, ${took.toFixed()} ms a refresh`,
    );
    await storage.close();
    await server.close();
    await place.remove();
    await folder.remove();
  }, 3_600_000);
});
