import { z } from "zod";

/** An http(s) URL, or a path relative to the folder of the config file. */
const location = z
  .string()
  .trim()
  .min(1)
  .refine((value) => !/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || /^https?:\/\/[^/\s]/i.test(value), {
    message: "must be an http(s) URL or a path relative to the config file",
  });

const source = z.strictObject({
  /** Stable name of the feed; the id of its items is made from it only where an item has neither link nor guid. */
  id: z.string().regex(/^[\w.-]{1,64}$/, "must be 1 to 64 of letters, digits, _ . -"),
  /** The outlet, as readers see it. Feeds of one outlet share a name and count as one voice. */
  name: z.string().trim().min(1).max(128),
  /** What the feed is mostly written in; an item's own language is read from its text. */
  lang: z.enum(["zh", "en"]),
  url: location,
});

/** The section `news` of the config. `{}` is a news room without sources. */
export const newsConfig = z.strictObject({
  sources: z
    .array(source)
    .default([])
    .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, {
      message: "must not name the same id twice",
    }),
  /** JSON `{"notices":[{id,lang,title,body,category,url,published_at,symbols}]}`. */
  notices: location.optional(),
  /** JSON `{"articles":[{id,title,body,category,url,updated_at}]}` a language. */
  help: z.strictObject({ zh: location.optional(), en: location.optional() }).default({}),
  /** JSON `{"series":[{date,value}]}`, value from 0 (fear) to 100 (greed). */
  fear_greed: location.optional(),
  /** Seconds between refreshes of the daemon; 0 turns them off. */
  refresh_interval_s: z.int().min(0).max(86_400).default(300),
  /** Milliseconds for one source, from the connection to the last byte. */
  timeout_ms: z.int().min(1).max(300_000).default(10_000),
  /** Bytes of one source after decompression. */
  max_bytes: z
    .int()
    .min(1024)
    .max(256 * 1024 * 1024)
    .default(5 * 1024 * 1024),
  /** News items kept, newest first. */
  max_items: z.int().min(1).max(20_000).default(2000),
  /** Days an item is kept after its publication. */
  max_age_days: z.number().positive().max(3650).default(30),
});

export type NewsConfig = z.infer<typeof newsConfig>;
export type NewsSource = NewsConfig["sources"][number];
