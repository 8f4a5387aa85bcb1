import { z } from "zod";
import { parseDate } from "./feed-dates.ts";
import { withoutControls } from "../../language/plain-text.ts";
import { SourceError } from "./source-error.ts";
import type { StoredArticle, StoredNotice } from "../items/stored-items.ts";

const field = z
  .string()
  .transform((text) => withoutControls(text).trim())
  .default("");
const required = z.string().transform((text) => withoutControls(text).trim());
const id = z.union([z.string().min(1).max(256), z.int().transform(String)]);

/** What an entry of either listing has. */
const shared = { id, title: required.refine((text) => text !== ""), body: field, category: field, url: field };

const notice = z.object({
  ...shared,
  lang: z.string().min(1).max(32),
  published_at: z.string().optional(),
  symbols: z.array(z.string()).default([]),
});

/** Most phrases beside an article, and the most characters of one. */
const ALIASES = { most: 50, characters: 300 };
const aliases = z
  .array(required.refine((text) => text !== "" && text.length <= ALIASES.characters))
  .max(ALIASES.most)
  .default([]);

const article = z.object({ ...shared, questions: aliases, aliases, updated_at: z.string().optional() });

const series = z.object({
  series: z.array(z.object({ date: z.string(), value: z.coerce.number().min(0).max(100) })),
});

/** The valid entries of a listing, and the number of those that are not valid. */
export interface Listing<T> {
  readonly entries: readonly T[];
  readonly refused: number;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text.trim());
  } catch (error) {
    throw new SourceError("invalid", "the content is not JSON", error);
  }
}

/** The valid entries of `{ [name]: [...] }`, the first of each key; others are counted. */
function readEntries<T>(text: string, name: string, schema: z.ZodType<T>, keyOf: (entry: T) => string): Listing<T> {
  const envelope = z.object({ [name]: z.array(z.unknown()) }).safeParse(readJson(text));
  if (!envelope.success) throw new SourceError("invalid", `the content is not {"${name}": [...]}`);
  const entries = new Map<string, T>();
  let refused = 0;
  for (const raw of envelope.data[name] ?? []) {
    const entry = schema.safeParse(raw);
    if (entry.success && !entries.has(keyOf(entry.data))) entries.set(keyOf(entry.data), entry.data);
    else refused += 1;
  }
  return { entries: Array.from(entries.values()), refused };
}

/**
 * Notices of `{"notices":[…]}`.
 *
 * @throws SourceError `invalid` when the content is not such a listing
 */
export function readNotices(text: string, movable: boolean): Listing<StoredNotice> {
  const { entries, refused } = readEntries(text, "notices", notice, (entry) => `${entry.lang}\n${entry.id}`);
  return {
    refused,
    entries: entries.map(({ published_at, ...rest }) => ({ ...rest, published_ms: parseDate(published_at), movable })),
  };
}

/**
 * Help articles of one language, of `{"articles":[…]}`. An empty list is a listing that succeeded.
 *
 * @throws SourceError `invalid` when the content is not such a listing
 */
export function readArticles(text: string, lang: string, movable: boolean): Listing<StoredArticle> {
  const { entries, refused } = readEntries(text, "articles", article, (entry) => entry.id);
  return {
    refused,
    entries: entries.map(({ updated_at, questions, aliases: others, ...rest }) => ({
      ...rest,
      ...(questions.length + others.length > 0 && { aliases: [...questions, ...others] }),
      lang,
      updated_ms: parseDate(updated_at),
      movable,
    })),
  };
}

/**
 * The fear-and-greed index of the last day that is not after `now`, of `{"series":[{date,value}]}` in any order.
 *
 * @throws SourceError `invalid` when there is no such day or the content is not such a listing
 */
export function readFearGreed(text: string, now: number): number {
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
