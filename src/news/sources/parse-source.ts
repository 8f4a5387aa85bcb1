import { feedItems } from "../items/feed-item.ts";
import type { ListedItem, StoredArticle, StoredNotice } from "../items/stored-items.ts";
import { decodeText } from "./decode-text.ts";
import { entriesBeyond, parseFeed } from "./feeds/parse-feed.ts";
import { FEED_LIMITS } from "./feeds/read-xml-feed.ts";
import { join, relative } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { languageOfTag, nearestLanguage } from "../../language/detect-language.ts";
import { articleOf } from "../../language/html-lines.ts";
import { plainLine, plainText, withoutControls } from "../../language/plain-text.ts";
import { canonical } from "../../language/tokenize.ts";
import { parseJson } from "../../runtime/json/parse-json.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import { parseDate } from "./feed-dates.ts";
import PATTERNS from "./help/article-patterns.json" with { type: "json" };
import { MAX_ALIAS_LENGTH, MAX_ALIASES } from "./help/article-pages.ts";
import { isRemote, type Reading } from "./read-source.ts";
import { SourceError } from "./source-error.ts";
import { isLocal, type Source } from "./sources.ts";

/** The default zone of dates in a language, minutes east of UTC: China's for Chinese. */
const zoneOf = (lang: string): number => (nearestLanguage(lang) === "zh" ? 8 * 60 : 0);

const required = z.string().transform((text) => withoutControls(text).trim());
const field = required.default("");
const anyId = z.union([z.string().min(1).max(256), z.int().transform(String)]);
const title = required.transform(plainLine).refine((text) => text !== "");
const url = field.transform((link) => (isRemote(link) && URL.canParse(link) ? link : ""));
const shared = { id: anyId, title, body: field, category: field, url };

const notice = z.object({
  ...{ ...shared, lang: z.string().min(1).max(32), published_at: z.string().optional() },
  symbols: z.array(z.string()).default([]),
});

const alias = required.refine((text) => text !== "" && text.length <= MAX_ALIAS_LENGTH);
const aliases = z.preprocess((given) => [given ?? []].flat(), z.array(alias).max(MAX_ALIASES));
const article = z.object({ ...shared, questions: aliases, aliases, updated_at: z.string().optional() });
const fearGreed = z.object({
  series: z.array(z.object({ date: z.string(), value: z.coerce.number().min(0).max(100) })),
});

export interface SourceBody extends Pick<Reading, "bytes" | "contentType" | "url"> {
  readonly source: Source;
  readonly now: number; // Milliseconds since the epoch.
  readonly day: number; // Day of the fear-and-greed index, ms: `now` without a fixture's shift.
}

/** The valid entries of a listing, the number of invalid ones, and the faults of the first of these and of undated ones. */
type Listing<T> = { readonly entries: readonly T[]; readonly refused: number; readonly faults: readonly string[] };

/** The entries of a source, by its kind. */
export type SourceContent = Awaited<ReturnType<typeof parseSource>>;

/** Decodes and parses a source.
 * @throws SourceError with the failure named: `invalid` for a listing that is not one */
export async function parseSource({ source, bytes, contentType, url, now, day }: SourceBody) {
  const text = await decodeText(bytes, contentType);
  const { kind } = source;
  switch (kind) {
    case "news": {
      const { timezone, lang = "en" } = source;
      const parsed = parseFeed(text, timezone ?? zoneOf(lang), url, now, lang);
      const entries = feedItems(source, parsed, now);
      const refused = parsed.length - entries.length;
      const excess = entriesBeyond(text, parsed.length);
      const faults = excess > 0 ? [`${excess} not kept, as a feed's ${FEED_LIMITS.entries} newest are`] : [];
      return { kind, entries, refused, faults, excess };
    }
    case "notice":
      return { kind, ...readNotices(text, isLocal(source)) };
    case "help":
      return { kind, ...readArticles(text, source.lang ?? "en", isLocal(source), source) };
    case "fear_greed":
      return { kind, index: readFearGreed(text, day), entries: [], refused: 0, faults: [] };
  }
}

type Entry = ListedItem | StoredNotice | StoredArticle;

const isUndated = (entry: Entry): boolean =>
  "dated" in entry ? !entry.dated : ("updated_ms" in entry ? entry.updated_ms : entry.published_ms) === null;

/** Counts the entries of a source by their state after parsing. */
export function countsOf(content: SourceContent) {
  const entries: readonly Entry[] = content.entries;
  const [undated, refused] = [entries.filter(isUndated).length, content.refused];
  const kept = content.kind === "fear_greed" ? 1 : entries.length;
  const { excess = 0 } = content.kind === "news" ? content : {};
  return { read: kept + refused + excess, kept, excess, cut: 0, old: 0, undated, refused };
}

function readJson<T>(text: string, schema: z.ZodType<T>, form: string): T {
  const json = parseJson(text.trim());
  const { data } = schema.safeParse(json);
  if (data === undefined) throw new SourceError("invalid", `the content is not ${json === undefined ? "JSON" : form}`);
  return data;
}

/** The valid entries of `{ [list]: [...] }`, the first per language and id. All others are counted as refused. */
function readEntries<V extends { readonly id: string; readonly lang?: string }, T extends Entry>(
  text: string,
  [list, date]: readonly [list: string, date: string],
  schema: z.ZodType<V>,
  toEntry: (valid: V) => T,
  listed = (raw: unknown): unknown[] => [raw],
): Listing<T> {
  const listing = readJson(text, z.object({ [list]: z.array(z.unknown()) }), `{"${list}": [...]}`);
  const all = listing[list]!.flatMap((raw, at) => listed(raw).map((one) => [one, `entry ${at + 1}`]));
  const entries = new Map<string, T>();
  const [faults, doubts]: [string[], string[]] = [[], []];
  for (const [raw, place] of all) {
    const { data, error } = schema.safeParse(raw);
    const key = `${data?.lang}\n${data?.id}`;
    const entry = data === undefined || entries.has(key) ? undefined : toEntry(data);
    if (entry !== undefined) entries.set(key, entry);
    const { path, fault, id, [date]: at } = Object(raw) as Partial<Record<string, string>>;
    const named = String(path ?? anyId.safeParse(id).data ?? place).slice(0, 300);
    const [wrong] = error?.issues[0]?.path ?? [];
    const invalid = wrong === undefined ? "is not an object" : `has no valid ${String(wrong)}`;
    if (entry === undefined) faults.push(`${named} ${fault ?? (error ? invalid : "has the id of another")}`);
    else if (at && isUndated(entry)) doubts.push(`${named} is kept without a date, as its ${date} is not valid`);
  }
  const refused = all.length - entries.size;
  return { entries: Array.from(entries.values()), refused, faults: [...faults, ...doubts].slice(0, 10) };
}

/** The notices of `{"notices":[…]}`. */
export const readNotices = (text: string, movable: boolean): Listing<StoredNotice> =>
  readEntries(text, ["notices", "published_at"], notice, ({ published_at: date, ...rest }) => {
    return { ...rest, published_ms: parseDate(date, zoneOf(rest.lang)), movable };
  });

/** Help articles of one language, of `{"articles":[…]}`. An empty list is a listing that succeeded.
 * @param place where the articles, and those of the other language, are read from */
export function readArticles(text: string, lang: string, movable: boolean, place?: Place): Listing<StoredArticle> {
  const toEntry = ({ updated_at, questions, aliases: others, ...rest }: z.infer<typeof article>): StoredArticle => ({
    ...rest,
    body: withoutTitle(rest.body, rest.title),
    ...(questions.length + others.length > 0 && { aliases: [...questions, ...others] }),
    lang,
    updated_ms: parseDate(updated_at, zoneOf(lang)),
    movable,
  });
  return readEntries(text, ["articles", "updated_at"], article, toEntry, (raw) => listedArticles(raw, lang, place));
}

type Place = Pick<Source, "location" | "other">;

/** Removes a leading heading that repeats the title. */
const withoutTitle = (body: string, title: string): string =>
  body.replace(TITLED.beginning, (all, before: string, heading: string) =>
    canonical(plainText(heading)) === canonical(title) ? `${before}${heading.startsWith("<") ? "<br>" : ""}` : all,
  );

const TITLED = patternsOf(PATTERNS, "im");
const articleFile = z.strictObject({ path: z.string(), text: z.string() });

/** Converts an entry of a help center to articles. A file gives one article: the fields of its front matter, with defaults
 * from its path and first heading; a draft gives none, nor does a file that the help center of the other language reads.
 * Other entries are unchanged. */
function listedArticles(raw: unknown, lang: string, { location, other }: Place = { location: "" }): unknown[] {
  const file = articleFile.safeParse(raw);
  if (!file.success) return [raw];
  const { path, text } = file.data;
  const [head = "", front = ""] = /^\ufeff?---\r?\n([^]{0,20000}?)\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  try {
    // The failsafe schema keeps dates and numbers as text.
    const read = parse(front, (_, value) => value || undefined, { schema: "failsafe" }) as object | undefined;
    const fields: Readonly<Record<string, string>> = { ...read };
    const own = languageOfTag([fields["lang"] ?? lang].join()); // May be a list, as any field.
    if (own === undefined) return [{ path, fault: "has no valid lang" }];
    if (fields["draft"] === "true") return [];
    const isOther = other !== undefined && !relative(other, join(location, path)).startsWith("..");
    if (own !== lang) return isOther ? [] : [{ path, fault: `has lang ${own}: set news.help.${own} to its folder` }];
    const [content, isPage] = [text.slice(head.length), /html?$/i.test(path)];
    const body = isPage ? articleOf(content) : content;
    const found = isPage ? TITLED.page.exec(body + content) : TITLED.heading.exec(content);
    const title = plainText(found?.slice(1).find(Boolean) ?? "");
    return [{ id: path.replace(/\.\w+$/, "").replaceAll("\\", "/"), title, body, ...fields, path }];
  } catch {
    return [{ path, fault: "has front matter that is not YAML" }];
  }
}

/** The fear-and-greed index of the last day that is not after `now`, of `{"series":[{date,value}]}` in any order. */
function readFearGreed(text: string, now: number): number {
  const { series } = readJson(text, fearGreed, '{"series": [{date, value}]}');
  const days = series.map(({ date, value }) => ({ value, at: parseDate(date) ?? Infinity }));
  const [latest] = days.filter(({ at }) => at <= now).sort((a, b) => b.at - a.at);
  if (latest === undefined) throw new SourceError("invalid", "the series has no day up to now");
  return latest.value;
}
