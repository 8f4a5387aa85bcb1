import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeText } from "../../src/news/sources/decode-text.ts";
import { mergeItems } from "../../src/news/items/dedupe.ts";
import { feedItems } from "../../src/news/items/feed-item.ts";
import { type FeedEntry, parseFeed } from "../../src/news/sources/feeds/parse-feed.ts";
import { feedparserCases, gofeedCases } from "./feed-suites.ts";
import type { Source } from "../../src/news/sources/sources.ts";

const DATA = process.env["ANP_DATA"];
const FEEDS = join(DATA ?? "", "feeds");
const NOW = Date.parse("2026-11-20T12:00:00Z");
const SOURCE: Source = { id: "f", kind: "news", name: "F", location: "https://news.example/feed", lang: "zh" };

interface Expected {
  titles: string[];
  links: string[];
  forbid?: string;
  utc?: string;
  http?: { "content-type": string };
}

async function entriesOf(file: string, contentType: string | null): Promise<FeedEntry[]> {
  return parseFeed(await decodeText(readFileSync(file), contentType));
}

/** Least shares of the suites' expectations that hold, by field. Those that do not are listed with the reason in
 * `feed-deviations.tsv`. */
const FLOORS = {
  feedparser: { title: 0.98, link: 1, id: 0.9, date: 0.92, summary: 0.97, category: 1, author: 1 },
  gofeed: { title: 1, link: 0.75, id: 1, date: 1, summary: 1, category: 1, author: 1 },
} as const;
const IDENTITY = ["title", "link", "id", "date"];

class Score {
  readonly #rows = new Map<string, { right: number; of: number }>();
  readonly wrong: string[] = [];

  note(row: string, isRight: boolean, what: string): void {
    const counts = this.#rows.get(row) ?? { right: 0, of: 0 };
    this.#rows.set(row, { right: counts.right + (isRight ? 1 : 0), of: counts.of + 1 });
    if (!isRight) this.wrong.push(`${row}\t${what}`);
  }

  shareOf(rows: readonly string[]): number {
    const counts = Array.from(this.#rows).filter(([row]) => rows.includes(row));
    return counts.reduce((sum, [, { right }]) => sum + right, 0) / counts.reduce((sum, [, { of }]) => sum + of, 0);
  }

  print(title: string): void {
    console.log(title);
    console.table(
      Object.fromEntries(
        Array.from(this.#rows, ([row, { right, of }]) => [row, { right, of, share: (right / of).toFixed(3) }]),
      ),
    );
    if (process.env["ANP_EVAL_VERBOSE"] !== undefined) console.log(this.wrong.join("\n"));
  }
}

describe.skipIf(DATA === undefined || !existsSync(FEEDS))("feeds (ANP_DATA names the folder of labelled data)", () => {
  it("reads every hostile feed", async () => {
    const folder = join(FEEDS, "fault-feeds");
    const expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as Record<string, Expected>;
    const score = new Score();
    for (const [name, want] of Object.entries(expected)) {
      const entries = await entriesOf(join(folder, name), want.http?.["content-type"] ?? null);
      const items = mergeItems([], feedItems(SOURCE, entries, NOW));
      const dates = items.map(({ published_ms }) => published_ms);
      score.note("titles", JSON.stringify(items.map(({ title }) => title)) === JSON.stringify(want.titles), name);
      score.note("links", JSON.stringify(items.map(({ url }) => url)) === JSON.stringify(want.links), name);
      score.note("dates", want.utc === undefined || dates[0] === Date.parse(want.utc), name);
      score.note(
        "nothing of the future",
        dates.every((date) => date <= NOW),
        name,
      );
      score.note("nothing forbidden", !JSON.stringify(items).includes(want.forbid ?? "\0"), name);
    }
    score.print("hostile feeds");
    expect(score.wrong).toEqual([]);
  });

  it.each([
    ["feedparser", feedparserCases],
    ["gofeed", gofeedCases],
  ] as const)("agrees with the suite of %s, but for what is listed", async (suite, casesOf) => {
    const score = new Score();
    const cases = casesOf(join(FEEDS, suite));
    for (const { name, checks, entries } of cases) {
      let read: FeedEntry[] = [];
      try {
        read = await entries();
      } catch {
        // Nothing that was expected holds.
      }
      for (const { field, holds } of checks) score.note(field, holds(read), `${suite}/${name}`);
    }
    const floors = Object.entries(FLOORS[suite]);
    score.print(`${suite}: ${cases.length} feeds`);
    console.log("title, link, id and date", score.shareOf(IDENTITY).toFixed(3));
    console.log("all fields", score.shareOf(floors.map(([field]) => field)).toFixed(3));
    const listed = readFileSync(new URL("feed-deviations.tsv", import.meta.url), "utf8").split("\n");
    const expected = listed.map((line) => line.split("\t").slice(0, 2).join("\t"));
    expect(score.wrong.sort()).toEqual(expected.filter((line) => line.includes(`\t${suite}/`)).sort());
    for (const [field, floor] of floors) expect(score.shareOf([field]), field).toBeGreaterThanOrEqual(floor);
    expect(score.shareOf(IDENTITY)).toBeGreaterThanOrEqual(0.95);
    expect(score.shareOf(floors.map(([field]) => field))).toBeGreaterThanOrEqual(0.97);
  });
});
