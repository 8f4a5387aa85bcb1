import { expect, test } from "vitest";
import { createNewsJobs } from "../../../src/news/jobs/news-jobs.ts";
import { NO_VALIDATORS } from "../../../src/news/sources/read-source.ts";
import type { Source } from "../../../src/news/sources/sources.ts";
import { HOUR, NOON, rss } from "../world.ts";

const SOURCE: Source = { id: "s", name: "S", kind: "news", location: "https://s.example/feed", lang: "en" };
const STATE = {
  id: "s",
  kind: "news",
  name: "S",
  url: SOURCE.location,
  ok: true,
  last_ok_ms: NOON,
  last_error: null,
} as const;
const CONTEXT = { step: () => undefined, move: () => undefined };
const counted = { news_updated: 0, notice_updated: 0, topic_rebuild: 0 };
const limits = { mode: "view", now: NOON, max_items: 10, max_age_days: 7, shift: undefined, cluster: true } as const;

test("a snapshot is the same from what its own worker has parsed, and from what is passed on from another", async () => {
  const [own, other] = [createNewsJobs(), createNewsJobs()];
  const parse = async (title: string) => {
    const bytes = Buffer.from(rss([{ title, link: "https://s.example/1", at: NOON - HOUR }]));
    const body = { source: SOURCE, bytes, contentType: null, url: SOURCE.location, now: NOON, day: NOON };
    const parsed = await own.parse({ ...body, knownHash: null }, CONTEXT);
    if (parsed.outcome !== "read") throw new Error(parsed.outcome);
    const state = { ...STATE, ...NO_VALIDATORS, hash: parsed.hash, last_read: parsed.counts };
    return [{ source: SOURCE, state, content: parsed.content }];
  };
  const build = async (jobs: typeof own, read: Awaited<ReturnType<typeof parse>>, partial = false) =>
    (await jobs.build({ base: undefined, read, options: { ...limits, counted, partial } }, CONTEXT)).text;
  const [first, second] = [await parse("Oil rises"), await parse("Gold falls")];
  expect(await build(own, second, true)).toBe(await build(other, second, true));
  expect(await build(own, first)).toBe(await build(other, first));
  expect(await build(own, second)).toBe(await build(other, second));
});
