import { type AnyFeed, parseFeed as parseByFormat } from "feedsmith";
import { parseDate } from "./feed-dates.ts";
import { plainLine, withoutControls } from "../../language/plain-text.ts";
import { SourceError } from "./source-error.ts";

/** Most entries of one feed, and most characters of one text field, that are read; longer links and identifiers count as
 * missing. Broken entries that are skipped in a feed, and the longest root element that the others are parsed under. */
const MOST = { entries: 1000, markup: 20_000, link: 4096, categories: 64, broken: 100, root: 8192 };

/** One entry of a feed, whatever its format. Texts are plain. */
export type FeedEntry = Readonly<ReturnType<typeof entryOf>>;

/** Reads RSS, RDF, Atom and JSON Feed.
 *
 * Accepts what real feeds carry: text before and after the document, control characters, bare ampersands. Drops a
 * document type with the entities that it declares, so nothing external is read and nothing expands. A feed that is cut
 * off, or broken within an entry, gives its complete entries, up to the hundredth that is broken. Linear in the length of
 * the text.
 * @param zone minutes east of UTC that dates without a zone are read in
 * @throws SourceError `not_a_feed` */
export function parseFeed(text: string, zone = 0): FeedEntry[] {
  const document = withoutPersons(withoutDoctype(withoutControls(text))).trim();
  return rawEntries(parsed(document)).map((raw) => entryOf(raw, zone));
}

function parsed(document: string): AnyFeed {
  try {
    return parseByFormat(document, { maxItems: MOST.entries });
  } catch (error) {
    for (const repair of [withoutRootPrefix, salvage]) {
      const repaired = repair(document);
      if (repaired === undefined) continue;
      try {
        return parseByFormat(repaired, { maxItems: MOST.entries });
      } catch {
        // The first error describes the source better than that of a repaired text.
      }
    }
    throw new SourceError("not_a_feed", "the content is not an RSS, Atom, RDF or JSON feed", error);
  }
}

/** The document with its own elements unprefixed, for a feed in a namespace of its own (`<r:rss><r:channel>…`). */
function withoutRootPrefix(document: string): string | undefined {
  const prefix = /^([\w-]+):(?:rss|feed)$/i.exec(ROOT.exec(document)?.[1] ?? "")?.[1];
  return prefix === undefined ? undefined : document.replaceAll(`<${prefix}:`, "<").replaceAll(`</${prefix}:`, "</");
}

/** The text without `<!DOCTYPE …>` and without references to the entities that it declares. */
function withoutDoctype(text: string): string {
  const start = text.search(/<!doctype/i);
  if (start < 0) return text;
  const end = doctypeEnd(text, start);
  const doctype = text.slice(start, end);
  let rest = text.slice(0, start) + text.slice(end);
  const names = new Set(Array.from(doctype.matchAll(/<!entity\s+(?:%\s+)?([\w.:-]+)/gi), ([, name]) => name!));
  if (names.size > 0) rest = rest.replace(/&([\w.:-]+);/g, (whole, name: string) => (names.has(name) ? "" : whole));
  return rest;
}

function doctypeEnd(text: string, start: number): number {
  let quote = "";
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at]!;
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === '"' || (character === "'" && depth > 0)) quote = character;
    else if (character === "[") depth += 1;
    else if (character === "]") depth -= 1;
    else if (character === ">" && depth <= 0) return at + 1;
    else if (/^<(?:rss|feed|rdf:rdf)[\s>]/i.test(text.slice(at, at + 9))) return at;
  }
  return text.length;
}

/** Elements of people, the ends of what they stand in, and sections whose markup is text. */
const PERSON =
  /<!\[CDATA\[|<!--|<(\/?)(?:[\w.-]+:)?(?:(author|managingeditor|webmaster)|item|entry|channel|feed)(?=[\s/>])([^<>]*\/>)?/gi;
const SECTION_END: Readonly<Record<string, string>> = { "<![CDATA[": "]]>", "<!--": "-->" };

/** The document without authors and editors: nothing here uses them, and the library reads them in quadratic time. */
function withoutPersons(document: string): string {
  if (document.startsWith("{")) return document;
  const kept: string[] = [];
  let from = 0;
  let start: number | undefined;
  const token = new RegExp(PERSON);
  for (let found = token.exec(document); found !== null; found = token.exec(document)) {
    const [text, slash, person, isEmpty] = found;
    const sectionEnd = SECTION_END[text];
    if (sectionEnd !== undefined) {
      const end = document.indexOf(sectionEnd, found.index);
      if (end < 0) break;
      token.lastIndex = end;
    } else if (slash === "" && person !== undefined && isEmpty === undefined) start ??= found.index;
    else if (slash === "/" && start !== undefined) {
      kept.push(document.slice(from, start));
      from = person === undefined ? found.index : document.indexOf(">", found.index) + 1;
      if (from === 0) return kept.join("");
      start = undefined;
    }
  }
  return kept.join("") + document.slice(from, start);
}

const ROOT = /<((?:[\w-]+:)?(?:rss|feed|rdf))\b[^<>]*>/i;

/** A well-formed document of the complete entries, or undefined when there are none. */
function salvage(document: string): string | undefined {
  const root = ROOT.exec(document);
  if (root === null || root[0].length > MOST.root) return undefined;
  const kept: string[] = [];
  let broken = 0;
  const opening = /<((?:[\w-]+:)?(?:item|entry))(?=[\s>])[^<>]*>/gi;
  opening.lastIndex = root.index;
  while (kept.length < MOST.entries && broken < MOST.broken) {
    const open = opening.exec(document);
    if (open === null) break;
    const closing = `</${open[1]!}>`;
    const end = document.indexOf(closing, open.index);
    if (end < 0) break;
    const entry = document.slice(open.index, end + closing.length);
    opening.lastIndex = end + closing.length;
    try {
      parseByFormat(wrap(root[0], root[1]!, entry));
      kept.push(entry);
    } catch {
      broken += 1;
    }
  }
  return kept.length === 0 ? undefined : wrap(root[0], root[1]!, kept.join("\n"));
}

function wrap(opening: string, name: string, content: string): string {
  return /rss$/i.test(name) ? `${opening}<channel>${content}</channel></${name}>` : `${opening}${content}</${name}>`;
}

interface RawEntry {
  readonly guid: string | undefined;
  readonly link: string | undefined;
  readonly title: string | undefined;
  readonly markup: readonly (string | undefined)[];
  readonly dates: readonly (string | undefined)[];
  readonly categories: readonly (string | undefined)[] | undefined;
}

/** What a feed has for each of its entries, in the order of preference. */
function rawEntries({ format, feed }: AnyFeed): RawEntry[] {
  switch (format) {
    case "rss":
      return (feed.items ?? []).map((item) => ({
        guid: item.guid?.value ?? item.atom?.id,
        link: item.link ?? item.atom?.links?.find(isPage)?.href ?? permalink(item.guid),
        title: item.title ?? item.dc?.titles?.[0] ?? item.media?.title?.value,
        markup: [item.description, item.content?.encoded],
        dates: [item.pubDate, item.dc?.dates?.[0], item.atom?.published, item.atom?.updated],
        categories: item.categories?.map(({ name }) => name),
      }));
    case "rdf":
      return (feed.items ?? []).map((item) => ({
        guid: item.rdf?.about,
        link: item.link ?? item.rdf?.about,
        title: item.title ?? item.dc?.titles?.[0],
        markup: [item.description, item.content?.encoded, item.dc?.descriptions?.[0]],
        dates: [item.dc?.dates?.[0], item.dcterms?.issued?.[0], item.dcterms?.modified?.[0]],
        categories: item.dc?.subjects,
      }));
    case "atom":
      return (feed.entries ?? []).map((item) => ({
        guid: item.id,
        link: (item.links?.find(isPage) ?? item.links?.[0])?.href,
        title: item.title?.value,
        markup: [item.summary?.value, item.content?.value],
        dates: [item.published, item.updated, item.dc?.dates?.[0]],
        categories: item.categories?.map(({ term, label }) => label ?? term),
      }));
    case "json":
      return (feed.items ?? []).map((item) => ({
        guid: item.id,
        link: item.url ?? item.external_url,
        title: item.title,
        markup: [item.summary, item.content_text, item.content_html],
        dates: [item.date_published, item.date_modified],
        categories: item.tags,
      }));
  }
}

function isPage(link: { rel?: string; type?: string }): boolean {
  return (link.rel ?? "alternate") === "alternate" && /html|^$/.test(link.type ?? "");
}

function permalink(guid: { value?: string; isPermaLink?: boolean } | undefined): string | undefined {
  return guid?.isPermaLink !== false && /^https?:\/\//i.test(guid?.value ?? "") ? guid?.value : undefined;
}

function entryOf(raw: RawEntry, zone: number) {
  const summary = raw.markup.find((value) => value !== undefined && value.trim() !== "") ?? "";
  return {
    /** The feed's own identifier of the entry, or "". */
    guid: reference(raw.guid),
    /** The link as the feed gives it, or "". */
    link: reference(raw.link),
    title: plainLine((raw.title ?? "").slice(0, MOST.markup)),
    summary: plainLine(summary.slice(0, MOST.markup)),
    /** Milliseconds since the epoch, or null when there is no readable date. */
    published: raw.dates.map((date) => parseDate(date, zone)).find((date) => date !== null) ?? null,
    categories: (raw.categories ?? [])
      .slice(0, MOST.categories)
      .flatMap((category) => (category === undefined ? [] : plainLine(category.slice(0, MOST.link)))),
  };
}

function reference(text: string | undefined): string {
  return text === undefined || text.length > MOST.link ? "" : text.trim();
}
