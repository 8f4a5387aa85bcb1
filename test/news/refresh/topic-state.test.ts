import { describe, expect, test } from "vitest";
import { buildSnapshot } from "../../../src/news/refresh/build-snapshot.ts";
import { feedItems } from "../../../src/news/items/feed-item.ts";
import { parseSnapshot, printSnapshot, type SnapshotContent } from "../../../src/news/snapshot/snapshot-document.ts";
import type { Source } from "../../../src/news/sources/sources.ts";
import { HOUR, NOON } from "../world.ts";

const SOURCE: Source = { id: "s", kind: "news", name: "S", location: "https://s.example/feed", lang: "en", weight: 1 };
const STATE = { id: "s", kind: "news", name: "S", url: SOURCE.location, ok: true, last_ok_ms: NOON } as const;
const UNKNOWN = { last_error: null, etag: null, last_modified: null, hash: null } as const;
const READ = { read: 0, kept: 0, excess: 0, cut: 0, old: 0, undated: 0, refused: 0 };
const WORDS = ["harbour", "pensions", "museum", "ferry", "orchard", "tunnel", "glacier", "library", "copper", "violin"];
const FACTS = [
  "opens",
  "closes early",
  "gets a new owner",
  "is sold for $70 million",
  "wins a prize",
  "reports a loss",
];

/** Reports of events of six each, from number `from` up to number `to`. */
const reports = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => {
    const [event, nth] = [Math.floor((from + at) / 6), (from + at) % 6];
    const title = `${WORDS[event % 10]!} Q${event}x of R${event}y ${FACTS[nth]!}`;
    const published = NOON - 48 * HOUR + (from + at) * 1000;
    return { guid: title, link: "", title, summary: "", author: "", published, categories: [] };
  });

async function next(base: SnapshotContent | undefined, entries: ReturnType<typeof reports>, cluster = true) {
  const kept = feedItems(SOURCE, entries, NOON);
  const content = { kind: "news" as const, entries: kept, refused: 0, faults: [], excess: 0 };
  const read = [{ source: SOURCE, state: { ...STATE, ...UNKNOWN, last_read: READ }, content }];
  const counted = { news_updated: 0, notice_updated: 0, topic_rebuild: 0 };
  const limits = { now: NOON, max_items: 10_000, max_age_days: 30, shift: undefined };
  const options = { mode: "full", ...limits, counted, partial: false, cluster } as const;
  const built = await buildSnapshot(base, read, options, () => undefined);
  return parseSnapshot({ version: 1, text: printSnapshot(built) });
}

const members = ({ parts }: SnapshotContent) =>
  parts.topics.map(({ item_ids }) => item_ids.toSorted().join(" ")).sort();
const withoutState = ({ record, parts }: SnapshotContent): SnapshotContent => ({
  record: { ...record, topic_state: undefined },
  parts,
});

describe("the topics of many items", () => {
  test("are continued, and clustered anew once as many are new as there are", async () => {
    const first = await next(undefined, reports(0, 1200));
    expect(first.record.topic_state).toEqual({ added: 0, waiting: [] });
    const second = await next(first, reports(1200, 1210));
    expect(second.record.topic_state).toEqual({ added: 10, waiting: [] });
    expect(second.parts.topics).toHaveLength(202);
    expect(await next(second, [])).toMatchObject({ record: { topic_state: { added: 10 } } });
    const long = { ...second, record: { ...second.record, topic_state: { added: 1210, waiting: [] } } };
    const anew = await next(long, reports(1210, 1211));
    expect(anew.record.topic_state).toEqual({ added: 0, waiting: [] });
    expect(members(anew)).toEqual(members(await next(undefined, reports(0, 1211))));
  });

  test("are clustered anew after a snapshot of an earlier build", async () => {
    const first = await next(undefined, reports(0, 1200));
    const after = await next(withoutState(first), reports(1200, 1201));
    expect(after.record.topic_state).toEqual({ added: 0, waiting: [] });
  });

  test("take up later what a snapshot without new topics brought", async () => {
    const first = await next(undefined, reports(0, 1201));
    const late = await next(first, reports(1201, 1203), false);
    expect(late.parts.topics).toEqual(first.parts.topics);
    const waiting = late.parts.items.slice(0, 2).map(({ id }) => id);
    expect(late.record.topic_state).toEqual({ added: 0, waiting });
    const then = await next(late, reports(1203, 1204));
    expect(then.record.topic_state).toEqual({ added: 3, waiting: [] });
    expect(members(then)).toEqual(members(await next(first, reports(1201, 1204))));
  });
});
