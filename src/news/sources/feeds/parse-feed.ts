import { plainLine, withoutControls } from "../../../language/plain-text.ts";
import { patternsOf } from "../../../runtime/text/patterns.ts";
import { parseJson } from "../../../runtime/json/parse-json.ts";
import { memoized } from "../../../runtime/cache/memoized.ts";
import { type DateHints, isDayFirst, isPossible, parseDate, type Zone } from "../feed-dates.ts";
import { SourceError } from "../source-error.ts";
import NAMES from "./feed-names.json" with { type: "json" };
import PATTERNS from "./feed-patterns.json" with { type: "json" };
import { attributesOf, type FeedFields, type Field, FEED_LIMITS, readXmlFeed, resolveLink } from "./read-xml-feed.ts";

const MAX_CATEGORIES = 64;
const MAX_NAMED = 3; // Maximum number of advertised feeds in an error.
const PAGE = 500_000;
const FEED_TYPE = /^\s*application\/(?:rss\+xml|atom\+xml|feed\+json)\b/i;
const { footer: FOOTER } = patternsOf(PATTERNS); // What a publishing system appends to a summary.
/** One entry of a feed, whatever its format. Texts are plain. */
export type FeedEntry = Readonly<ReturnType<typeof entryOf>>;

/** Parses RSS, RDF, Atom, CDF and JSON Feed. Tolerates text around the document, control characters, bare ampersands,
 * unclosed elements and truncation. References to entities that the document declares are removed, so nothing external
 * is read and nothing expands. Linear time. Of more than {@link FEED_LIMITS} entries, the newest are kept, then undated ones
 * in document order.
 * @param zone zone of dates without one
 * @param base URL of the feed; links are resolved by `xml:base`, this, or the URL of the feed's page
 * @param now reference time of relative dates, ms since the epoch
 * @param lang the feed's language if it declares none
 * @throws SourceError `not_a_feed`, and `empty` for a feed without entries */
export function parseFeed(text: string, zone: Zone = 0, base?: string, now?: number, lang = ""): FeedEntry[] {
  const document = withoutControls(text).trim();
  const fields = (document.startsWith("{") ? readJsonFeed : readXmlFeed)(withoutEntities(document), base);
  if (fields === undefined) throw new SourceError("not_a_feed", whatElse(document, base));
  if (fields.entries.length === 0) throw new SourceError("empty", "the feed has no entries");
  const [page] = linksOf(fields.feed, undefined);
  const declared = fieldsOf(fields.feed, "language").map(({ markup }) => markup.trim().toLowerCase().replace("_", "-"));
  const languages = [...declared, lang].filter(Boolean);
  const first = fields.entries.slice(0, FEED_LIMITS.entries);
  const dates = first.flatMap((own) => fieldsOf(own, "date").map(({ markup }) => markup.trim()));
  const shared = { page, hints: { zone, languages, dayFirst: isDayFirst(dates, languages[0], zone, now) } };
  return newestOf(fields.entries, shared.hints, now).map((own) => {
    const entry = readEntry(JSON.stringify({ fields: own, ...shared }));
    return entry.published === null ? entryOf(JSON.stringify({ fields: own, ...shared, now })) : entry;
  });
}

/** The entries to keep, in document order. */
function newestOf(entries: FeedFields["entries"], hints: DateHints, now?: number): FeedFields["entries"] {
  if (entries.length <= FEED_LIMITS.entries) return entries;
  const dates = new Map(entries.map((own) => [own, dateOf(own, hints, now) ?? 0]));
  const at = (own: readonly Field[]): number => (isPossible(dates.get(own)!, now) ? dates.get(own)! : 0);
  const kept = new Set(entries.toSorted((a, b) => at(b) - at(a)).slice(0, FEED_LIMITS.entries));
  return entries.filter((own) => kept.has(own));
}

/** An entry's first readable date, milliseconds since the epoch. */
const dateOf = (fields: readonly Field[], hints: DateHints, now?: number): number | null =>
  fieldsOf(fields, "date").reduce<number | null>((date, { markup }) => date ?? parseDate(markup, hints, now), null);

/** The number of entries of a feed beyond the first `read`. */
export function entriesBeyond(text: string, read: number): number {
  const { items } = (read < FEED_LIMITS.entries ? { items: [] } : (parseJson(text) ?? {})) as { items?: unknown[] };
  return Math.max(0, (items ?? text.match(/<(?:[\w-]{1,50}:)?(?:item|entry)[\s>]/gi) ?? []).length - read);
}

type EntryInput = Readonly<{ fields: readonly Field[]; page?: string; hints: DateHints; now?: number }>;
/** Cache of 20 million characters: most entries are listed again, with a date that does not depend on `now`. */
const readEntry = memoized(entryOf, 20_000_000, (input) => input.length);

function whatElse(document: string, base: string | undefined): string {
  if (!/<html[\s>]|<!doctype\s+html/i.test(document)) return "the content is not an RSS, Atom, RDF or JSON feed";
  const feeds = advertisedFeeds(document, base).slice(0, MAX_NAMED).join(", ");
  return `the content is a web page, not a feed; it advertises ${feeds || "no feed"}`;
}

/** The absolute URLs of the feeds that a web page advertises in its first 500,000 characters, in document order:
 * `<link rel="alternate" type="application/rss+xml">`, also for Atom and JSON Feed.
 * @param base URL of the page; a `<base>` element overrides it */
export function advertisedFeeds(page: string, base?: string): string[] {
  const tags = page.slice(0, PAGE).match(/<(?:link|base)\s(?:[^<>"']|"[^"<]*"|'[^'<]*')*>/gi) ?? [];
  let from = base;
  return tags.flatMap((tag) => {
    const { rel = "", type = "", href = "" } = attributesOf(tag.slice(5));
    const link = resolveLink(href.trim(), from);
    if (!/^https?:/i.test(link) || link.length > FEED_LIMITS.link) return [];
    if (/^<base/i.test(tag)) from = link;
    return /(?:^|\s)alternate(?:\s|$)/i.test(rel) && FEED_TYPE.test(type) ? link : [];
  });
}

/** Removes references to the entities that the document declares before its root. */
function withoutEntities(document: string): string {
  const root = document.search(/<(?:[\w-]+:)?(?:rss|feed|rdf|channel)(?=[\s>])/i);
  const declared = document.slice(0, Math.max(root, 0)).matchAll(/<!entity\s+(?:%\s+)?([\w.:-]+)/gi);
  const names = new Set(Array.from(declared, ([, name]) => name!));
  if (names.size === 0) return document;
  return document.replace(/&([\w.:-]+);/g, (whole, name: string) => (names.has(name) ? "" : whole));
}

function readJsonFeed(document: string, base: string | undefined): FeedFields | undefined {
  const feed = parseJson(document) as Partial<Record<string, unknown>> | undefined;
  const { home_page_url: page, language, items } = feed ?? {};
  if (!Array.isArray(items)) return undefined;
  const fieldsOf = (name: string, value: unknown): Field[] =>
    [value].flat().map((one) => ({ name, markup: textOf(one), attributes: {}, base }));
  const entries = (items.slice(0, FEED_LIMITS.seen) as (typeof feed)[]).map((item) =>
    Object.entries(NAMES.json).flatMap(([key, name]) => fieldsOf(name, item?.[key]).slice(0, MAX_CATEGORIES)),
  );
  return { feed: [...fieldsOf("link", page), ...fieldsOf("language", language)], entries };
}

function textOf(value: unknown): string {
  if (typeof value === "object" && value !== null && "name" in value) return textOf(value.name);
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Candidate URLs of an entry, best first: HTML page, permanent link, page of another type, other links, identifier. */
function linksOf(fields: readonly Field[], page: string | undefined): string[] {
  const links = fieldsOf(fields, "link").map(({ markup, attributes, base }) => {
    const { rel = "alternate", type = "html", href = markup } = attributes;
    const link = resolveLink(href.trim(), base ?? page);
    return { link, rank: rel !== "alternate" ? 3 : /html|^$/.test(type) ? 0 : 2 };
  });
  for (const { name, markup, attributes } of fieldsOf(fields, "guid")) {
    const link = markup.trim();
    const isLink = attributes["ispermalink"] !== "false" && /^https?:\/\//i.test(link);
    if (isLink) links.push({ link, rank: name === "id" ? 4 : 1 });
  }
  const ranked = links.sort((a, b) => a.rank - b.rank);
  return ranked.flatMap(({ link }) => (/^(?!$|(?!https?:)[a-z][a-z\d+.-]*:)/i.test(link) ? link : []));
}

const fieldsOf = (fields: readonly Field[], kind: keyof typeof NAMES.fields): Field[] =>
  NAMES.fields[kind].flatMap((wanted) => fields.filter(({ name }) => name === wanted));

function entryOf(input: string) {
  const { fields, page, hints, now } = JSON.parse(input) as EntryInput;
  const texts = (kind: keyof typeof NAMES.fields): string[] => fieldsOf(fields, kind).map(({ markup }) => markup);
  const first = (found: readonly string[]): string => found.find((text) => text.trim() !== "") ?? "";
  const line = (markup: string): string => plainLine(markup.slice(0, FEED_LIMITS.markup));
  const author = first(texts("author"));
  return {
    guid: reference(first(texts("guid"))), // The feed's own identifier of the entry, or "".
    link: reference(first(linksOf(fields, page))), // The link, absolute if its base is known, or "".
    title: line(first(texts("title"))),
    summary: line(first(texts("summary"))).replace(FOOTER, ""),
    /** The name of its first author, or "". */
    author: nameOf(line(/<(?:[\w-]+:)?name\b[^<>]*>([^<>]*)/i.exec(author)?.[1] ?? author)),
    /** Milliseconds since the epoch, or null when there is no readable date. */
    published: dateOf(fields, hints, now),
    categories: fields
      .flatMap(({ name, markup, attributes }) => {
        if (NAMES.fields.keywords.includes(name)) return markup.split(",");
        if (!NAMES.fields.category.includes(name)) return [];
        return attributes["label"] ?? attributes["term"] ?? attributes["text"] ?? markup;
      })
      .slice(0, MAX_CATEGORIES)
      .flatMap((category) => plainLine(category.slice(0, FEED_LIMITS.link)) || []),
  };
}

/** The name in `name`, `mail (name)` and `name (mail)`. */
function nameOf(person: string): string {
  const [before = "", inner = ""] = person.replace(/\)$/, "").split(" (");
  return before.includes("@") && inner !== "" ? inner : inner.includes("@") ? before : person;
}

const reference = (text: string): string => (text.length > FEED_LIMITS.link ? "" : text.trim());
