import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { plainLine } from "../../src/language/plain-text.ts";
import { parseDate } from "../../src/news/sources/feed-dates.ts";
import { decodeText } from "../../src/news/sources/decode-text.ts";
import { type FeedEntry, parseFeed } from "../../src/news/sources/feeds/parse-feed.ts";

/** What one suite expects of a field of one entry. */
interface Check {
  readonly field: string;
  readonly holds: (entries: readonly FeedEntry[]) => boolean;
}

/** One feed of a suite. */
interface Case {
  readonly name: string;
  readonly checks: readonly Check[];
  readonly entries: () => Promise<FeedEntry[]>;
}

/** Files below a folder, in a stable order. */
function filesOf(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .sort();
}

/** The fields of feedparser that a news item has, as paths in its results. */
const FIELDS: Readonly<Record<string, string>> = {
  title: "title",
  "title_detail.value": "title",
  link: "link",
  id: "id",
  guid: "id",
  published: "date",
  published_parsed: "date",
  updated: "date",
  updated_parsed: "date",
  created: "date",
  created_parsed: "date",
  description: "summary",
  summary: "summary",
  "summary_detail.value": "summary",
  "content.0.value": "summary",
  author: "author",
  "author_detail.name": "author",
  "authors.0.name": "author",
};

/** An entry's field in Python, and what it is compared with: a string, a `struct_time`, or the number of a character. */
const COMPARISON =
  /(?:ord\()?entries\[(\d+)\]((?:\[(?:'\w+'|\d+)\]|\.\w+)+)\)?(?=((?: == entries\[\d+\](?:\['\w+'\])+)*) == (?:u?'((?:[^'\\]|\\.)*)'|u?"((?:[^"\\]|\\.)*)"|\(([\d, ]+)\)|(\d+)))/g;

/** Python's string literals, as far as the expectations use them. */
function literal(text: string): string {
  return text
    .replace(/\\(?:u|x)([\da-f]{4}|[\da-f]{2})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replace(/\\n/g, "\n")
    .replace(/\\(['"\\])/g, "$1");
}

function instantOf(struct: string): number {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = struct.split(",").map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function checkOf(found: RegExpMatchArray): Check[] {
  const [, index, path = "", , single, double, struct, code] = found;
  const keys = Array.from(path.matchAll(/\w+/g), ([key]) => key);
  const tag = keys[0] === "tags" && keys[2] === "term" ? Number(keys[1]) : undefined;
  const field = tag === undefined ? FIELDS[keys.join(".")] : "category";
  if (field === undefined) return [];
  const text = code === undefined ? literal(single ?? double ?? "") : String.fromCodePoint(Number(code));
  const entryOf = (entries: readonly FeedEntry[]): FeedEntry | undefined => entries[Number(index)];
  if (field === "date") {
    const instant = struct === undefined ? parseDate(text) : instantOf(struct);
    return instant === null ? [] : [{ field, holds: (entries) => entryOf(entries)?.published === instant }];
  }
  // Ours are plain text where feedparser keeps harmless markup, and plain text as it is; it writes "Name (mail)" of an author.
  const expected = plainLine(text).replace(field === "author" ? / \([^()]*@[^()]*\)$/ : /$^/, "");
  const read = (entry: FeedEntry | undefined): string | undefined =>
    tag === undefined
      ? { title: entry?.title, link: entry?.link, id: entry?.guid, summary: entry?.summary, author: entry?.author }[
          field
        ]
      : entry?.categories[tag];
  const holds = (entries: readonly FeedEntry[]): boolean => [expected, text].includes(read(entryOf(entries)) ?? "");
  return [{ field, holds }];
}

/** The expectation is an expression of Python in a leading comment, the HTTP header in lines of it. */
function feedparserCase(folder: string, name: string): Case {
  const bytes = readFileSync(join(folder, name));
  const head = bytes.subarray(0, 4000).toString("utf8").replaceAll("\0", "");
  const header = (field: string): string | null =>
    new RegExp(`^\\s*Header:\\s*${field}:\\s*(.*)$`, "im").exec(head)?.[1]?.trim() ?? null;
  const expression = (/^\s*Expect:\s*(.*)$/m.exec(head)?.[1] ?? "").replaceAll("' + '", "");
  const base = header("Content-Location") ?? `http://127.0.0.1:8097/${name}`;
  return {
    name,
    checks: Array.from(expression.matchAll(COMPARISON), checkOf).flat(),
    entries: async () => parseFeed(await decodeText(bytes, header("Content-type")), 0, base),
  };
}

/** The feeds of feedparser's suite that say something about an entry. */
export function feedparserCases(folder: string): Case[] {
  return filesOf(folder, ".xml")
    .map((name) => feedparserCase(folder, name))
    .filter(({ checks }) => checks.length > 0);
}

interface GofeedItem {
  title?: string;
  link?: string;
  guid?: string;
  published?: string;
  updated?: string;
  description?: string;
  content?: string;
  categories?: string[];
  author?: { name?: string; email?: string };
  authors?: { name?: string; email?: string }[];
}

function gofeedChecks(item: GofeedItem, index: number): Check[] {
  const check = (field: string, expected: string | undefined, read: (entry: FeedEntry) => string): Check[] =>
    expected === undefined
      ? []
      : [{ field, holds: (entries) => entries[index] !== undefined && read(entries[index]) === expected }];
  const text = item.description ?? item.content;
  const author = item.author ?? item.authors?.[0];
  const date = parseDate(item.published ?? item.updated);
  return [
    ...check("title", item.title, ({ title }) => title),
    ...check("link", item.link, ({ link }) => link),
    ...check("id", item.guid, ({ guid }) => guid),
    ...check("summary", text && plainLine(text), ({ summary }) => summary),
    ...check("category", item.categories?.join(), ({ categories }) => categories.join()),
    ...check("author", author?.name ?? author?.email, (entry) => entry.author),
    ...(date === null ? [] : check("date", String(date), ({ published }) => String(published))),
  ];
}

/** The feeds of gofeed's suite, with the unified JSON beside each. */
export function gofeedCases(suite: string): Case[] {
  const folder = join(suite, "translator");
  return filesOf(folder, ".xml")
    .concat("json/json10_full.json")
    .map((name) => {
      const bytes = readFileSync(join(folder, name));
      const answer = name.replace(
        /json10_full\.json$|\.xml$/,
        name.endsWith(".xml") ? ".json" : "json11_full_expected.json",
      );
      const { items = [] } = JSON.parse(readFileSync(join(folder, answer), "utf8")) as { items?: GofeedItem[] };
      return {
        name,
        checks: items.flatMap(gofeedChecks),
        entries: async () => parseFeed(await decodeText(bytes, null)),
      };
    });
}
