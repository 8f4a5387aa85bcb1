import { z } from "zod";
import { language, sentimentLabel } from "../../contract/schemas/shared-fields.ts";

const ms = z.int();
const text = z.string();

/** A stored news item. Times are unshifted: the feed's, or when the item was first seen. */
const storedItem = z.object({
  id: z.string(),
  source_ids: z.array(z.string()).min(1), // Feeds that list it; the first one provides its content.
  source: z.string(),
  guid: z.string(),
  ...{ title: z.string(), summary: z.string(), url: z.string(), lang: language },
  published_ms: ms,
  dated: z.boolean(), // The feed gave a date; otherwise the item keeps the time it was first seen.
  movable: z.boolean(), // The date comes from a local file, so a fixture's time shift moves it.
  symbols: z.array(z.string()),
  author: z.string().optional(), // Absent if the feed has none, and in data of earlier builds.
  categories: z.array(z.string()).optional(), // Those of its source; absent if none, and in data of earlier builds.
  digest: z.string(), // Hash of the feed's content of the item, to detect changes.
  sentiment: sentimentLabel, // The last field, because it is added last: an unchanged item serializes identically.
});

const listed = { id: text, lang: text, title: text, body: text, category: text, url: text, movable: z.boolean() };
const storedNotice = z.object({ ...listed, published_ms: ms.nullable(), symbols: z.array(z.string()) });

const storedArticle = z.object({
  ...listed,
  aliases: z.array(z.string()).optional(), // Operator's questions and aliases; absent in earlier builds' data.
  updated_ms: ms.nullable(),
});

/** A story: its items, the most central first. */
const storedTopic = z.object({ id: z.string(), item_ids: z.array(z.string()).min(1) });

export const storedParts = z.object({
  items: z.array(storedItem),
  topics: z.array(storedTopic),
  notices: z.array(storedNotice),
  help: z.array(storedArticle),
});

export type StoredItem = z.infer<typeof storedItem>;
/** An item whose sentiment may not be computed yet. */
export type ListedItem = Omit<StoredItem, "sentiment"> & { readonly sentiment?: StoredItem["sentiment"] | undefined };
export type StoredNotice = z.infer<typeof storedNotice>;
export type StoredArticle = z.infer<typeof storedArticle>;
export type StoredTopic = z.infer<typeof storedTopic>;
type StoredParts = z.infer<typeof storedParts>;
/** The content of a snapshot, besides its record. */
export type Parts = { readonly [Part in keyof StoredParts]: readonly StoredParts[Part][number][] };
export const EMPTY_PARTS: Parts = { items: [], topics: [], notices: [], help: [] };
