import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseSnapshot, type SnapshotContent } from "../../../src/news/snapshot/snapshot-document.ts";
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

test.each(SHARED_STORAGES)("a snapshot of 10 MB is read by another process on $name", async ({ open: share }) => {
  const shared = await share();
  const [one, other] = await Promise.all([openStorage(shared.url), openStorage(shared.url)]);
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
