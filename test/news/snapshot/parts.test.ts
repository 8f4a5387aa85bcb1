import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { News } from "../../../src/news/news.ts";
import {
  isClaim,
  SNAPSHOT_STREAM,
  type SnapshotRecord,
  streamItem,
  type StreamItem,
} from "../../../src/news/snapshot/snapshot-record.ts";
import { StorageError } from "../../../src/storage/storage-errors.ts";
import type { Key } from "../../../src/storage/storage.ts";
import { openStream } from "../../../src/storage/stream.ts";
import { watchedStorage } from "../../support/watched-storage.ts";
import { createWorld, HOUR, NOON, rss, type World } from "../world.ts";

let world: World;
let at: number;
beforeEach(async () => {
  at = NOON - HOUR;
  world = await createWorld();
  await world.write("help.json", JSON.stringify({ articles: [{ id: "a", title: "How to deposit" }] }));
});
afterEach(() => world.close());

const CONFIG = { sources: [{ id: "en", name: "Wire", lang: "en", url: "en.xml" }], help: { en: "help.json" } };

async function stream(): Promise<StreamItem[]> {
  const items: StreamItem[] = [];
  for await (const { item } of openStream(world.storage, SNAPSHOT_STREAM, streamItem).items()) items.push(item);
  return items;
}

async function records(): Promise<SnapshotRecord[]> {
  return (await stream()).flatMap((item) => (isClaim(item) ? [] : item));
}

/** Where the newest snapshot's help articles are stored. */
async function helpKey(): Promise<Key> {
  const [document] = (await records()).at(-1)!.parts.help.split(".");
  return ["news", `part-${document}`];
}

/** A refresh that finds one story in the feed, newer than those before. */
async function refreshWith(news: News, story: string, mode: "view" | "full" = "view"): Promise<void> {
  at += 1000;
  await world.write("en.xml", rss([{ title: story, link: `https://w.example/${story}`, at }]));
  await news.refresh(mode);
}

/** What a process finds that starts now. */
async function found(): Promise<{ published: boolean; help: number; newest: string | undefined }> {
  const { help, items, published_at } = await world.news(CONFIG).current();
  return { published: published_at !== null, help: help.length, newest: items[0]?.title };
}

const damageTold = (): unknown[] =>
  world.log.filter(({ message }) => message === "a news snapshot is damaged").map(({ fields }) => fields);

describe("a part that stays as it was", () => {
  test("is not written again", async () => {
    const news = world.news(CONFIG);
    await refreshWith(news, "first", "full");
    await refreshWith(news, "second", "full");
    await refreshWith(world.news(CONFIG), "third", "view");
    expect(new Set((await records()).map(({ parts }) => parts.help)).size).toBe(1);
    expect(damageTold()).toEqual([]);
  });

  test.each([
    ["was lost", (key: Key) => world.storage.remove(key), "missing"],
    ["was torn", (key: Key) => world.storage.put(key, '[{"id":"a",'), "digest"],
  ])("is written anew and told once when it %s", async (_, damage, reason) => {
    const news = world.news(CONFIG);
    await refreshWith(news, "first", "full");
    await damage(await helpKey());
    expect(await found()).toMatchObject({ published: false });
    world.log.length = 0;
    await refreshWith(news, "second");
    expect(damageTold()).toEqual([{ version: 2, error: expect.stringContaining(reason) as string }]);
    expect(await found()).toEqual({ published: true, help: 1, newest: "second" });
    await refreshWith(news, "third", "full");
    expect(damageTold()).toHaveLength(1);
  });
});

describe("a damaged part that the seven newest snapshots share", () => {
  let storage: ReturnType<typeof failing>;
  let running: News;
  beforeEach(async () => {
    storage = failing();
    running = world.news(CONFIG, { storage });
    for (const round of [1, 2, 3]) await refreshWith(running, `early ${round}`, "full");
    await world.write("help.json", JSON.stringify({ articles: [{ id: "b", title: "How to withdraw" }] }));
    for (const round of [1, 2, 3, 4, 5, 6, 7]) await refreshWith(running, `late ${round}`, "full");
    await world.storage.put(await helpKey(), "torn");
    expect(await found()).toMatchObject({ newest: "early 3" });
  });

  test("is no part of the snapshots that go on from the eighth", async () => {
    for (let round = 1; round <= 10; round++) {
      await refreshWith(world.news(CONFIG), `after ${round}`);
      expect(await found()).toEqual({ published: true, help: 1, newest: `after ${round}` });
    }
  });

  test("lets the next one share no part with the eighth, which others may sweep", async () => {
    await refreshWith(world.news(CONFIG), "after");
    const { attempt, parts } = (await records()).at(-1)!;
    for (const ref of Object.values(parts)) expect(ref).toContain(`${attempt}-`);
  });

  test("goes, with all else that only older ones need, once eight newer ones are published", async () => {
    for (let round = 1; round <= 10; round++) await refreshWith(world.news(CONFIG), `after ${round}`);
    const named = new Set((await records()).slice(-8).flatMap(({ parts }) => Object.values(parts)));
    expect((await partNames()).sort()).toEqual([...named].map((ref) => `part-${ref.split(".")[0]}`).sort());
  });

  test.each([
    ["starts", () => world.news(CONFIG, { storage })],
    ["has it in memory", () => running],
  ])("leaves the eighth readable when a process that %s cannot publish the next one", async (_, process) => {
    storage.failPublication();
    await expect(refreshWith(process(), "after")).rejects.toThrow(StorageError);
    expect(await found()).toEqual({ published: true, help: 1, newest: "early 3" });
  });
});

describe("a part whose name a lost attempt has used", () => {
  /** An attempt that wrote its parts and whose claims a failover lost; its process goes on. */
  async function loseAttempt(
    story: string,
  ): Promise<{ news: News; calls: ReturnType<typeof watchedStorage>["calls"] }> {
    const storage = failing();
    const news = world.news(CONFIG, { storage });
    storage.failPublication();
    await expect(refreshWith(news, story, "full")).rejects.toThrow(StorageError);
    const claims = await stream();
    for (const [index] of claims.entries()) await world.storage.remove([...SNAPSHOT_STREAM, "0", String(index + 1)]);
    storage.mend();
    return { news, calls: storage.calls };
  }

  test("is not named for other content", async () => {
    const { news } = await loseAttempt("lost");
    await refreshWith(news, "told", "full");
    expect(await found()).toEqual({ published: true, help: 1, newest: "told" });
    const left = new Set((await partNames()).filter((name) => name.startsWith("part-1-")));
    expect(left.size).toBe(4);
    for (let round = 1; round <= 8; round++) await refreshWith(news, `after ${round}`);
    expect((await partNames()).filter((name) => left.has(name))).toEqual([]);
  });

  test("is taken when it has the same content, once that is safe", async () => {
    const { news, calls } = await loseAttempt("same");
    at -= 1000;
    await refreshWith(news, "same", "full");
    expect(await found()).toEqual({ published: true, help: 1, newest: "same" });
    expect((await stream()).map(isClaim)).toEqual([true, false]);
    const parts = (await partNames()).map((name) => `news/${name}`).sort();
    const confirmed = calls.filter(({ verb }) => verb === "confirm").map(({ key }) => key);
    expect(confirmed.sort()).toEqual(parts);
  });
});

async function partNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const { text } of world.storage.children(["news"])) if (text.startsWith("part-")) names.push(text);
  return names;
}

/** The world's storage, which fails to append to the stream what comes after parts, once that is told and until mended. */
function failing(): ReturnType<typeof watchedStorage> & { failPublication: () => void; mend: () => void } {
  let state: "sound" | "told" | "failing" = "sound";
  const storage = watchedStorage(world.storage, ({ verb, key }) => {
    if (verb === "create" && key.startsWith("news/part-") && state === "told") state = "failing";
    return state === "failing" && verb === "create" && key.startsWith("news/snapshots/") ? "fail" : "pass";
  });
  return {
    ...storage,
    failPublication: () => {
      state = "told";
    },
    mend: () => {
      state = "sound";
    },
  };
}
