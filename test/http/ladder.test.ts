import { afterEach, expect, it } from "vitest";
import { StorageError } from "../../src/storage/errors.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { intercept } from "../support/watched-storage.ts";
import { describeApi, type Api } from "./describe-api.ts";

/** A storage that can be broken and mended: every call fails while it is broken. */
async function breakable(): Promise<{ storage: Storage; broken: (is: boolean) => void }> {
  const base = await openStorage("memory:");
  let isBroken = false;
  const storage = intercept(base, async (_verb, _key, run) => {
    if (isBroken) throw new StorageError("the disk is gone");
    return run();
  });
  return {
    storage,
    broken: (is) => {
      isBroken = is;
    },
  };
}

describeApi("hot topics", (open) => {
  let api: Api;
  afterEach(() => api.close());

  it("come from memory when the storage fails, whoever asks, and are live again afterwards", async () => {
    const { storage, broken } = await breakable();
    api = await open({ storage });
    const before = (await api.ask("/api/v1/ai/hot-topics?limit=3")).body.data;
    expect(before.refresh_meta.source).toBe("live");
    broken(true);
    for (const token of [undefined, "alice-token", "nobody"]) {
      const { status, body } = await api.ask("/api/v1/ai/hot-topics?limit=3", token === undefined ? {} : { token });
      expect(status).toBe(200);
      expect(body.data.topics).toEqual(before.topics);
    }
    expect((await api.ask("/api/v1/news/hot")).status).toBe(200);
    expect((await api.ask("/api/v1/news/topics?lang=en")).status).toBe(200);
    expect((await api.ask("/api/v1/ai/me", { token: "bob-token" })).body).toMatchObject({ code: 500 });
    broken(false);
    expect((await api.ask("/api/v1/ai/me", { token: "bob-token" })).status).toBe(200);
    const { topics } = (await api.ask("/api/v1/news/topics?lang=en")).body.data;
    expect(topics.flatMap(({ question_suggestions }) => question_suggestions)).not.toEqual([]);
  });

  it("come from the bundled snapshot when nothing was ever refreshed and the storage fails", async () => {
    const { storage, broken } = await breakable();
    api = await open({ storage, refresh: false });
    broken(true);
    const { status, body } = await api.ask("/api/v1/ai/hot-topics");
    expect(status).toBe(200);
    expect(body.data.topics.length).toBeGreaterThan(0);
    expect(body.data.refresh_meta).toMatchObject({ source: "fallback", stale: true });
    broken(false);
  });
});
