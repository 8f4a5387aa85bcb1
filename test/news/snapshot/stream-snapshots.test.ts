import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStorage } from "../../../src/storage/open-storage.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { createWorld, HOUR, NOON, rss, type World } from "../world.ts";

/** Two snapshots that version 0.1.0 published, each after a claim: items 1 to 4 of the stream. */
const NEWS = join(import.meta.dirname, "../../data/formats/first/data/news");
const EN = { id: "wire", name: "Wire", lang: "en", url: "en.xml" };

let world: World;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let storage: Storage;
beforeEach(async () => {
  world = await createWorld();
  folder = await temporaryFolder();
  await cp(NEWS, join(folder.path, "news"), { recursive: true });
  storage = await openStorage(`fs:${folder.path}`);
});
afterEach(async () => {
  await storage.close();
  await folder.remove();
  await world.close();
});

async function names(): Promise<string[]> {
  const found: string[] = [];
  for await (const key of storage.keys(["news"])) found.push(key.map(({ text }) => text).join("/"));
  return found.sort();
}

async function refresh(title: string): Promise<void> {
  await world.write("en.xml", rss([{ title, link: `https://w.example/${title}`, at: NOON - HOUR }]));
  await world.news({ sources: [EN] }, { storage }).refresh("view");
}

describe("news that version 0.1.0 published", () => {
  test("are shown until the first refresh", async () => {
    const news = world.news({}, { storage });
    expect(await news.status()).toMatchObject({ version: 4, items: 3, topics: 1, notices: 2, help: 8, mode: "full" });
    expect((await news.hotTopics({ days: 30, limit: 5 })).refresh_meta).toMatchObject({ source: "live" });
    expect(world.log).toEqual([]);
  });

  test("are the base of the first refresh, which has a greater number", async () => {
    await refresh("first");
    const status = await world.news({}, { storage }).status();
    expect(status).toMatchObject({ version: 5, mode: "view", items: 3, notices: 2, help: 8 });
    expect(status.last_full_sync_at).not.toBeNull();
  });

  test("are shown from the snapshot before when the newest is damaged", async () => {
    await storage.put(["news", "snapshots", "0", "4"], "{torn");
    expect(await world.news({}, { storage }).status()).toMatchObject({ version: 4, items: 3 });
  });

  test("are kept until two snapshots of this build exist, then removed", async () => {
    const old = await names();
    await refresh("first");
    expect(await names()).toEqual(expect.arrayContaining(old));
    await refresh("second");
    expect(await names()).toEqual(["news/snapshot/5", "news/snapshot/6", "news/snapshot/newest"]);
  });

  test("are shown when the first snapshot of this build is damaged", async () => {
    await refresh("first");
    await storage.put(["news", "snapshot", "5"], "{torn");
    expect(await world.news({}, { storage }).status()).toMatchObject({ version: 4, items: 3 });
  });
});
