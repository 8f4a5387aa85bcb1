import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { patchOf } from "../../../src/news/snapshot/line-patch.ts";
import { parseSnapshot, printSnapshot, type SnapshotContent } from "../../../src/news/snapshot/snapshot-document.ts";
import { createSnapshotStore, type SnapshotStore } from "../../../src/news/snapshot/snapshot-store.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import type { Key, Storage } from "../../../src/storage/storage.ts";
import { SHARED_STORAGES } from "../../daemons/shared-storages.ts";
import { watchedStorage } from "../../support/watched-storage.ts";

let storage: Storage;
let damage: number[];
let store: SnapshotStore;
beforeEach(async () => {
  storage = await openStorage("memory:");
  damage = [];
  store = open(storage);
});
afterEach(() => storage.close());

function open(on: Storage): SnapshotStore {
  return createSnapshotStore(on, (version) => {
    damage.push(version);
  });
}

/** A snapshot that is recognized by its index. */
function content(index: number): SnapshotContent {
  return {
    record: {
      mode: "view",
      published_ms: 0,
      last_full_ms: null,
      sentiment_ms: null,
      index,
      news_updated: 0,
      notice_updated: 0,
      topic_rebuild: 0,
      coverage: {},
      sources: [],
    },
    parts: { items: [], topics: [], notices: [], help: [] },
  };
}

const text = (index: number): string => JSON.stringify(content(index));

const keyOf = (version: number | "newest"): Key => ["news", "snapshot", String(version)];

async function newest(): Promise<{ version: number; index: number | null } | undefined> {
  return store.readNewest(await store.newestNumber(), (document) => {
    return { version: document.version, index: parseSnapshot(document).record.index };
  });
}

async function publish(count: number): Promise<void> {
  for (let index = 1; index <= count; index++) {
    expect(await store.publish(await store.newestNumber(), text(index))).toBe(index);
  }
}

async function documents(): Promise<string[]> {
  const names: string[] = [];
  for await (const { text } of storage.children(["news", "snapshot"])) names.push(text);
  return names.sort();
}

describe("the newest snapshot", () => {
  test("is none in an empty storage", async () => {
    expect([await store.newestNumber(), await newest()]).toEqual([0, undefined]);
  });

  test("is the one published last", async () => {
    await publish(2);
    expect(await newest()).toEqual({ version: 2, index: 2 });
  });

  test.each([
    ["torn", (key: Key) => storage.put(key, '{"record":{"mode":"vi'), [2]],
    ["of another shape", (key: Key) => storage.put(key, "{}"), [2]],
    ["lost", (key: Key) => storage.remove(key), []],
  ])("falls back to the one before when it is %s", async (_, harm, reported) => {
    await publish(2);
    await harm(keyOf(2));
    expect(await newest()).toEqual({ version: 1, index: 1 });
    expect(damage).toEqual(reported);
  });

  test("is found where its publisher died before it moved the pointer", async () => {
    await publish(1);
    await storage.put(keyOf(2), text(2));
    expect(await newest()).toEqual({ version: 2, index: 2 });
    expect(await store.publish(2, text(3))).toBe(3);
    expect(await storage.get(keyOf("newest"))).toBe("3");
  });

  test("is found with two small reads", async () => {
    await publish(3);
    const watched = watchedStorage(storage, () => "pass");
    await open(watched).newestNumber();
    expect(watched.calls.map(({ verb, key }) => `${verb} ${key}`)).toEqual([
      "get news/snapshot/newest",
      "has news/snapshot/4",
    ]);
  });
});

describe("a publication", () => {
  test("is refused when another snapshot was published since", async () => {
    await publish(5);
    for (const after of [0, 1, 4]) expect(await store.publish(after, text(9))).toBeUndefined();
    expect(await newest()).toEqual({ version: 5, index: 5 });
    expect(await documents()).toEqual(["3", "4", "5", "newest"]);
  });

  test("succeeds for one of many at once", async () => {
    await publish(1);
    const results = await Promise.all([1, 2, 3, 4].map((index) => open(storage).publish(1, text(index))));
    const won = results.filter((result) => result !== undefined);
    expect(won).toHaveLength(1);
    expect(await newest()).toEqual({ version: 2, index: results.indexOf(2) + 1 });
  });

  test("that comes late does not move the pointer back", async () => {
    await publish(1);
    const late = watchedStorage(storage, async ({ verb, key }) => {
      if (verb === "create" && key === "news/snapshot/2") {
        await storage.create(keyOf(2), text(2));
        await store.publish(2, text(3));
        await storage.remove(keyOf(2));
      }
      return "pass" as const;
    });
    await open(late).publish(1, text(9));
    expect(await newest()).toEqual({ version: 3, index: 3 });
  });

  test("follows a damaged newest one", async () => {
    await publish(2);
    await storage.put(keyOf(2), "{torn");
    expect(await store.publish(await store.newestNumber(), text(3))).toBe(3);
  });

  test("keeps the last three", async () => {
    await publish(6);
    expect(await documents()).toEqual(["4", "5", "6", "newest"]);
  });

  test("succeeds when old ones cannot be removed, and the next one removes them", async () => {
    let isBroken = true;
    store = open(watchedStorage(storage, ({ verb }) => (verb === "remove" && isBroken ? "fail" : "pass")));
    await publish(5);
    isBroken = false;
    await store.publish(5, text(6));
    expect(await documents()).toEqual(["4", "5", "6", "newest"]);
  });
});

/** A snapshot whose topics change one by one, so that each is much like the one before. */
const printed = (index: number): string => {
  const topics = Array.from({ length: 300 }, (_, n) => {
    return { id: `t${n}`, item_ids: [`n${n}`, ...(n < index ? ["more"] : [])] };
  });
  const { record, parts } = content(index);
  return printSnapshot({ record, parts: { ...parts, topics } });
};

/** Publishes snapshots, each as a patch of the one before, where it may be one. */
async function publishPatches(from: number, to: number): Promise<void> {
  for (let index = from; index <= to; index++) {
    const patch = index === 1 ? undefined : patchOf(printed(index - 1), printed(index));
    expect(await store.publish(index - 1, printed(index), patch)).toBe(index);
  }
}

describe("a snapshot that is stored as a patch", () => {
  const isWhole = async (version: number) => (await storage.get(keyOf(version)))?.startsWith("{") === true;

  test.each([
    ["memory", undefined],
    ...SHARED_STORAGES.map(({ name, open: share }) => [name, share] as const),
  ] as const)("is read by another process on %s", async (_, share) => {
    const shared = await share?.();
    if (shared !== undefined) {
      await storage.close();
      storage = await openStorage(shared.url);
      store = open(storage);
    }
    await publishPatches(1, 8);
    expect(await Promise.all([1, 2, 8].map(isWhole))).toEqual([true, false, false]);
    const other = shared === undefined ? storage : await openStorage(shared.url);
    expect(await open(other).read(8)).toBe(printed(8));
    expect(await open(other).readNewest(8, ({ text }) => text)).toBe(printed(8));
    if (other !== storage) await other.close();
    await storage.close();
    await shared?.remove();
  });

  test("is whole before the patches are longer than the whole, and what is not needed then is removed", async () => {
    await publishPatches(1, 60);
    const whole: number[] = [];
    for (const name of await documents()) if (await isWhole(Number(name))) whole.push(Number(name));
    let size = 0;
    const numbers = (await documents()).filter((name) => name !== "newest").map(Number);
    for (const number of numbers) size += (await storage.get(keyOf(number)))!.length;
    expect(whole.length).toBeGreaterThanOrEqual(1);
    expect(whole.length).toBeLessThanOrEqual(2);
    expect(size).toBeLessThan(4 * printed(60).length);
    expect(Math.min(...numbers)).toBe(Math.min(...whole));
    expect(await open(storage).read(60)).toBe(printed(60));
  });

  test("is whole after one that this process has not read, and after many patches", async () => {
    await publishPatches(1, 2);
    store = open(storage);
    await publishPatches(3, 3);
    expect(await isWhole(3)).toBe(true);
    for (let version = 3; version < 250; version++)
      await store.publish(version, printed(3), patchOf(printed(3), printed(3)));
    expect((await documents()).length).toBeLessThan(210);
    expect(await open(storage).read(250)).toBe(printed(3));
  });

  test.each([
    ["it", 6, 5, [6]],
    ["the one before", 5, 4, [6, 5]],
    ["the whole one", 1, undefined, [6, 5, 4, 1]],
  ])("falls back when %s is damaged", async (_, harmed, version, reported) => {
    await publishPatches(1, 6);
    await storage.put(keyOf(harmed), (await storage.get(keyOf(harmed)))!.slice(0, -40));
    expect((await newest())?.version).toBe(version);
    expect(damage).toEqual(reported);
  });

  test("falls back to the whole one when patches are damaged, and to what came before when that is", async () => {
    await publishPatches(1, 3);
    store = open(storage);
    await publishPatches(4, 9);
    for (const version of [5, 6]) await storage.put(keyOf(version), "@4 1\ntorn");
    expect(await newest()).toEqual({ version: 4, index: 4 });
    await storage.put(keyOf(4), "{torn");
    store = open(storage);
    expect(await newest()).toBeUndefined();
  });

  test("is there or not, whenever its publisher dies, and the next one follows", async () => {
    for (let death = 0; ; death++) {
      storage = await openStorage("memory:");
      store = open(storage);
      await publishPatches(1, 12);
      let calls = 0;
      const dying = watchedStorage(storage, ({ number }) => ((calls = number) >= death ? "fail" : "pass"));
      const last = open(dying);
      const patch = patchOf(printed(12), printed(13));
      await last
        .read(12)
        .then(() => last.publish(12, printed(13), patch))
        .catch(() => undefined);
      const text = await open(storage).readNewest(await open(storage).newestNumber(), (document) => document.text);
      expect([printed(12), printed(13)]).toContain(text);
      store = open(storage);
      const number = await store.newestNumber();
      await store.read(number);
      expect(await store.publish(number, printed(14), patchOf(text!, printed(14)))).toBe(number + 1);
      expect(await open(storage).read(number + 1)).toBe(printed(14));
      if (calls < death) return;
    }
  });
});

test.each(SHARED_STORAGES)("a snapshot of 10 MB is read by another process on $name", async ({ open: share }) => {
  const shared = await share();
  // On a busy machine Redis may be late to say that 10 MB arrived.
  const url = shared.url.startsWith("redis:") ? `${shared.url}?timeout_ms=60000` : shared.url;
  const [one, other] = await Promise.all([openStorage(url), openStorage(url)]);
  try {
    const article = { lang: "zh", title: "标题", category: "", url: "", updated_ms: null, movable: false };
    const body = "正文".repeat(500);
    const help = Array.from({ length: 3500 }, (_, index) => ({ ...article, id: String(index), body }));
    const { record, parts } = content(1);
    await open(one).publish(0, JSON.stringify({ record, parts: { ...parts, help } }));
    expect((await open(other).readNewest(1, parseSnapshot))?.parts.help).toEqual(help);
  } finally {
    await Promise.all([one.close(), other.close()]);
    await shared.remove();
  }
});
