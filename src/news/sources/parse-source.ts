import { feedItems } from "../items/feed-item.ts";
import type { ListedItem, StoredArticle, StoredNotice } from "../items/stored-items.ts";
import { decodeText } from "./decode-text.ts";
import { entriesBeyond, parseFeed } from "./feeds/parse-feed.ts";
import { parse } from "yaml";
import { z } from "zod";
import { languageOfTag, nearestLanguage } from "../../language/detect-language.ts";
import { articleOf, withoutFurniture } from "../../language/html-lines.ts";
import { plainLine, plainText, withoutControls } from "../../language/plain-text.ts";
import { canonical } from "../../language/tokenize.ts";
import { parseJson } from "../../runtime/json/parse-json.ts";
import { parseDate } from "./feed-dates.ts";
import { LONGEST_ALIAS, MOST_ALIASES } from "./help/article-pages.ts";
import { isRemote, type Reading } from "./read-source.ts";
import { SourceError } from "./source-error.ts";
import { isLocal, type Source } from "./sources.ts";

/** The default zone of dates in a language, minutes east of UTC: China's for Chinese. */
const zoneOf = (lang: string): number => (nearestLanguage(lang) === "zh" ? 8 * 60 : 0);

const required = z.string().transform((text) => withoutControls(text).trim());
const field = required.default("");
const anyId = z.union([z.string().min(1).max(256), z.int().transform(String)]);
const title = z
  .string()
  .transform(plainLine)
  .refine((text) => text !== "");
const url = field.transform((link) => (isRemote(link) && URL.canParse(link) ? link : ""));
const shared = { id: anyId, title, body: field, category: field, url };

const notice = z.object({
  ...shared,
  lang: z.string().min(1).max(32),
  published_at: z.string().optional(),
  symbols: z.array(z.string()).default([]),
});

const alias = required.refine((text) => text !== "" && text.length <= LONGEST_ALIAS);
const aliases = z.preprocess(
  (given) => (typeof given === "string" ? [given] : given),
  z.array(alias).max(MOST_ALIASES).default([]),
);
const article = z.object({ ...shared, questions: aliases, aliases, updated_at: z.string().optional() });
const series = z.object({ series: z.array(z.object({ date: z.string(), value: z.coerce.number().min(0).max(100) })) });

export interface SourceBody extends Pick<Reading, "bytes" | "contentType" | "url"> {
  readonly source: Source;
  readonly now: number; // Milliseconds since the epoch.
  readonly day: number; // Day of the fear-and-greed index, ms: `now` without a fixture's shift.
}

/** The valid entries of a listing, the number of those that are not valid, and what is wrong with the first of them, or
 * with a date. */
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
      return { kind, entries, refused, faults: [], cut: entriesBeyond(text, parsed.length) };
    }
    case "notice":
      return { kind, ...readNotices(text, isLocal(source)) };
    case "help":
      return { kind, ...readArticles(text, source.lang ?? "en", isLocal(source)) };
    case "fear_greed":
      return { kind, index: readFearGreed(text, day), entries: [], refused: 0, faults: [] };
  }
}

type Listed = StoredNotice | StoredArticle;

const isUndated = (entry: ListedItem | Listed): boolean =>
  "dated" in entry ? !entry.dated : ("updated_ms" in entry ? entry.updated_ms : entry.published_ms) === null;

/** Counts the entries of a source by their state after parsing. */
export function countsOf(content: SourceContent) {
  const entries: readonly (ListedItem | Listed)[] = content.entries;
  const [undated, refused] = [entries.filter(isUndated).length, content.refused];
  const kept = content.kind === "fear_greed" ? 1 : entries.length;
  const { cut = 0 } = content.kind === "news" ? content : {};
  return { read: kept + refused + cut, kept, cut, old: 0, undated, refused };
}

function readJson(text: string): unknown {
  const value = parseJson(text.trim());
  if (value === undefined) throw new SourceError("invalid", "the content is not JSON");
  return value;
}

/** The valid entries of `{ [name]: [...] }`, the first of each language and id; others are counted. */
function readEntries<V extends { readonly id: string; readonly lang?: string }, T extends Listed>(
  text: string,
  [name, date]: readonly [name: string, date: string],
  schema: z.ZodType<V>,
  toEntry: (valid: V) => T,
  listed = (raw: unknown): unknown[] => [raw],
): Listing<T> {
  const envelope = z.object({ [name]: z.array(z.unknown()) }).safeParse(readJson(text));
  if (!envelope.success) throw new SourceError("invalid", `the content is not {"${name}": [...]}`);
  const all = (envelope.data[name] ?? []).flatMap((raw, at) => listed(raw).map((one) => [one, `entry ${at + 1}`]));
  const entries = new Map<string, T>();
  const faults: string[] = [];
  for (const [raw, place] of all) {
    const { data, error } = schema.safeParse(raw);
    const key = `${data?.lang}\n${data?.id}`;
    const entry = data === undefined || entries.has(key) ? undefined : toEntry(data);
    if (entry !== undefined) entries.set(key, entry);
    const given = Object(raw) as Given;
    const fault =
      entry === undefined ? faultOf(given, error) : isUndated(entry) && given[date] && `has no valid ${date}`;
    const id = given["path"] ?? anyId.safeParse(given["id"]).data ?? place;
    if (fault) faults.push(`${String(id)} ${fault}`.slice(0, 400));
  }
  const refused = all.length - entries.size;
  return { entries: Array.from(entries.values()), refused, faults: faults.slice(0, 10) };
}

type Given = Readonly<Record<PropertyKey, unknown>>;

function faultOf(given: Given, error: z.ZodError | undefined): string {
  if (typeof given["fault"] === "string") return given["fault"];
  if (error === undefined) return "has the id of another";
  const [field] = error.issues[0]!.path;
  if (field === undefined) return "is not an object";
  return `has no ${(given[field] ?? "") === "" ? "" : "valid "}${String(field)}`;
}

/** The notices of `{"notices":[…]}`. */
export const readNotices = (text: string, movable: boolean): Listing<StoredNotice> =>
  readEntries(text, ["notices", "published_at"], notice, ({ published_at: date, ...rest }) => {
    return { ...rest, published_ms: parseDate(date, zoneOf(rest.lang)), movable };
  });

/** Help articles of one language, of `{"articles":[…]}`. An empty list is a listing that succeeded. */
export function readArticles(text: string, lang: string, movable: boolean): Listing<StoredArticle> {
  const toEntry = ({ updated_at, questions, aliases: others, ...rest }: z.infer<typeof article>): StoredArticle => ({
    ...rest,
    body: withoutTitle(rest.body, rest.title),
    ...(questions.length + others.length > 0 && { aliases: [...questions, ...others] }),
    lang,
    updated_ms: parseDate(updated_at, zoneOf(lang)),
    movable,
  });
  return readEntries(text, ["articles", "updated_at"], article, toEntry, (raw) => listedArticles(raw, lang));
}

const HEADING =
  /^ {0,3}#{1,6}[ \t]+([^\n]{1,1000})|^([^\n]{1,1000})\n {0,3}=+[ \t]*$|<h[1-6]\b[^<>]{0,500}>([^]{0,1000}?)<\/h[1-6]\s*>/im;
const H1 = /<h1\b[^<>]{0,500}>([^]{0,1000}?)<\/h1/i;
const PAGE_TITLE = /<title\b[^<>]{0,500}>([^]{0,1000}?)<\/title/i;

/** The article of a file, and its title, "" without one. */
function articleIn(text: string, isPage: boolean): { readonly body: string; readonly title: string } {
  const [, ...headings] = (isPage ? undefined : HEADING.exec(text)) ?? [];
  if (!isPage) return { body: text, title: plainText(headings.find(Boolean) ?? "") };
  const page = withoutFurniture(text);
  const body = articleOf(page);
  const titles = [H1.exec(body), H1.exec(page), PAGE_TITLE.exec(page)].map((found) => plainLine(found?.[1] ?? ""));
  return { body, title: titles.find(Boolean) ?? "" };
}

/** The article without a heading at its beginning that says no more than its title. */
function withoutTitle(body: string, title: string): string {
  const { 0: heading, index } = HEADING.exec(body) ?? { 0: "", index: 0 };
  const [before, rest] = [body.slice(0, index), body.slice(index + heading.length)];
  if (plainLine(before) !== "" || canonical(plainText(heading)) !== canonical(title)) return body;
  return `${before}${heading.startsWith("<") ? "<br>" : ""}${rest}`;
}

const articleFile = z.strictObject({ path: z.string(), text: z.string() });

/** Converts an entry of a help center to articles. A file gives one article: the fields of its front matter, with defaults
 * from its path and first heading; a draft or a file in another language gives none. Other entries are unchanged. */
function listedArticles(raw: unknown, lang: string): unknown[] {
  const file = articleFile.safeParse(raw);
  if (!file.success) return [raw];
  const { path, text } = file.data;
  const [head = "", front = ""] = /^\ufeff?---\r?\n([^]{0,20000}?)\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  try {
    // Without types, so that a date or a number is text.
    const given = Object.entries((parse(front, { schema: "failsafe" }) || {}) as Readonly<Record<string, string>>);
    const fields = Object.fromEntries(given.filter(([, value]) => value !== ""));
    const { lang: tag, draft } = fields;
    if (draft === "true") return [];
    if (tag !== undefined && languageOfTag(String(tag)) !== lang)
      return languageOfTag(String(tag)) ? [] : [{ path, fault: "has no valid lang" }];
    const own = articleIn(text.slice(head.length), /html?$/i.test(path));
    return [{ id: path.replace(/\.\w+$/, "").replaceAll("\\", "/"), ...own, ...fields, path }];
  } catch {
    return [{ path, fault: "has front matter that is not YAML" }];
  }
}

/** The fear-and-greed index of the last day that is not after `now`, of `{"series":[{date,value}]}` in any order. */
function readFearGreed(text: string, now: number): number {
  const parsed = series.safeParse(readJson(text));
  if (!parsed.success) throw new SourceError("invalid", 'the content is not {"series": [{date, value}]}');
  let latest: { at: number; value: number } | undefined;
  for (const { date, value } of parsed.data.series) {
    const at = parseDate(date);
    if (at !== null && at <= now && at > (latest?.at ?? -Infinity)) latest = { at, value };
  }
  if (latest === undefined) throw new SourceError("invalid", "the series has no day up to now");
  return latest.value;
}
