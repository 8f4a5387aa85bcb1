import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseDate } from "../../src/news/sources/feed-dates.ts";
import { decodeText } from "../../src/news/sources/decode-text.ts";
import { mergeItems } from "../../src/news/items/dedupe.ts";
import { feedItems } from "../../src/news/items/feed-item.ts";
import { type FeedEntry, parseFeed } from "../../src/news/sources/parse-feed.ts";
import { plainLine } from "../../src/language/plain-text.ts";
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

function entriesOf(file: string, contentType: string | null): FeedEntry[] {
  return parseFeed(decodeText(readFileSync(file), contentType));
}

function filesOf(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(folder, name));
}

/** What one expectation says about an entry, or undefined when it is about a field that news items do not have. */
type Check = { field: string; holds: (entries: readonly FeedEntry[]) => boolean };

/** Python's string literals, as far as the expectations use them. */
function literal(text: string): string {
  return text
    .replace(/\\u([\da-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\x([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\(['"\\])/g, "$1");
}

function feedparserChecks(head: string): Check[] {
  const checks: Check[] = [];
  const expression = /^Expect:\s*(.*)$/m.exec(head)?.[1] ?? "";
  for (const [, index, field, value] of expression.matchAll(
    /entries\[(\d+)\](?:\['|\.)(title|link|id)(?:'\])? == u?'((?:[^'\\]|\\.)*)'/g,
  )) {
    const expected = literal(value!);
    const read = (entry: FeedEntry | undefined): string | undefined =>
      field === "title" ? entry?.title : field === "link" ? entry?.link : entry?.guid;
    // Our titles are plain text where feedparser keeps harmless markup.
    const same = (text: string | undefined): boolean => plainLine(text ?? "") === plainLine(expected);
    checks.push({ field: field!, holds: (entries) => same(read(entries[Number(index)])) });
  }
  for (const [, index, field, value] of expression.matchAll(
    /entries\[(\d+)\](?:\['|\.)(published_parsed|updated_parsed)(?:'\])? == \(([\d, ]+)\)/g,
  )) {
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = value!.split(",").map(Number);
    const expected = Date.UTC(year, month - 1, day, hour, minute, second);
    checks.push({ field: field!, holds: (entries) => entries[Number(index)]?.published === expected });
  }
  return checks;
}

class Score {
  readonly #rows = new Map<string, { right: number; of: number }>();
  readonly wrong: string[] = [];

  note(row: string, isRight: boolean, what: string): void {
    const counts = this.#rows.get(row) ?? { right: 0, of: 0 };
    this.#rows.set(row, { right: counts.right + (isRight ? 1 : 0), of: counts.of + 1 });
    if (!isRight) this.wrong.push(`${row}: ${what}`);
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
  it("reads every hostile feed", () => {
    const folder = join(FEEDS, "fault-feeds");
    const expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as Record<string, Expected>;
    const score = new Score();
    for (const [name, want] of Object.entries(expected)) {
      const entries = entriesOf(join(folder, name), want.http?.["content-type"] ?? null);
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

  it("agrees with feedparser's suite", () => {
    const score = new Score();
    for (const file of filesOf(join(FEEDS, "feedparser"), ".xml")) {
      const head = readFileSync(file).subarray(0, 2000).toString("latin1");
      const checks = feedparserChecks(head);
      if (checks.length === 0) continue;
      const contentType = /^Header:\s*Content-type:\s*(.*)$/im.exec(head)?.[1]?.trim() ?? null;
      let entries: FeedEntry[] = [];
      try {
        entries = entriesOf(file, contentType);
      } catch {
        // Counted below: nothing that was expected holds.
      }
      for (const { field, holds } of checks) score.note(field, holds(entries), file);
    }
    score.print("feedparser");
  });

  it("agrees with gofeed's suite", () => {
    const score = new Score();
    for (const file of filesOf(join(FEEDS, "gofeed", "translator"), ".xml")) {
      const expected = JSON.parse(readFileSync(file.replace(/\.xml$/, ".json"), "utf8")) as {
        items?: { title?: string; link?: string; guid?: string; published?: string; updated?: string }[];
      };
      let entries: FeedEntry[] = [];
      try {
        entries = entriesOf(file, null);
      } catch {
        // Counted below.
      }
      for (const [index, item] of (expected.items ?? []).entries()) {
        const entry = entries[index];
        if (item.title !== undefined) score.note("title", entry?.title === item.title, file);
        if (item.link !== undefined) score.note("link", entry?.link === item.link, file);
        if (item.guid !== undefined) score.note("guid", entry?.guid === item.guid, file);
        const date = parseDate(item.published ?? item.updated);
        if (date !== null) score.note("date", entry?.published === date, file);
      }
    }
    score.print("gofeed");
  });
});
