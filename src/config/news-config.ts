import { z } from "zod";
import { language } from "../contract/schemas/shared-fields.ts";

/** An http(s) URL, or a path relative to the folder of the config file. */
const location = z
  .string()
  .trim()
  .min(1)
  .refine((value) => !/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || /^https?:\/\/[^/\s]/i.test(value), {
    message: "must be an http(s) URL or a path relative to the config file",
  });

const source = z.strictObject({
  id: z
    .string()
    .regex(/^[\w.-]{1,64}$/, "must be 1 to 64 of letters, digits, _ . -")
    .describe(
      "Stable name of the feed; the id of its items is made from it only where an item has neither link nor guid",
    ),
  name: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .describe("Name of the outlet as shown to readers; feeds with the same name count as one outlet"),
  lang: language.describe("Main language of the feed; the language of each item is detected"),
  url: location,
});

/** The section `news` of the config. `{}` configures no sources. */
export const newsConfig = z.strictObject({
  sources: z
    .array(source)
    .default([])
    .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, {
      message: "must not name the same id twice",
    })
    .describe("List of { id, name, lang, url }: RSS, Atom or JSON Feed, a URL or a path"),
  notices: location
    .meta({ examples: ["notices.json"] })
    .optional()
    .describe('Notices as JSON, {"notices":[{id,lang,title,body,category,url,published_at,symbols}]}: a URL or a path'),
  help: z
    .strictObject({
      zh: location
        .meta({ examples: ["help.zh.json"] })
        .optional()
        .describe("The help center in Chinese"),
      en: location
        .meta({ examples: ["help.en.json"] })
        .optional()
        .describe("The help center in English"),
    })
    .default({})
    .describe(
      'The help center as JSON, {"articles":[{id,title,body,category,url,updated_at}]}: a URL or a path a language',
    ),
  fear_greed: location
    .meta({ examples: ["fear-greed.json"] })
    .optional()
    .describe('The mood as JSON, {"series":[{date,value}]}, value from 0 (fear) to 100 (greed): a URL or a path'),
  refresh_interval_s: z.int().min(0).max(86_400).default(300).describe("Seconds between refreshes; 0 turns them off"),
  takeover_s: z
    .number()
    .min(1)
    .max(3600)
    .default(15)
    .describe("Seconds without a heartbeat after which another process takes over a refresh"),
  timeout_ms: z
    .int()
    .min(1)
    .max(300_000)
    .default(10_000)
    .describe("Timeout of one source, from the connection to the last byte, ms"),
  max_bytes: z
    .int()
    .min(1024)
    .max(256 * 1024 * 1024)
    .default(5 * 1024 * 1024)
    .describe("Largest source after decompression, bytes"),
  max_items: z.int().min(1).max(20_000).default(2000).describe("News items kept, newest first"),
  max_age_days: z.number().positive().max(3650).default(30).describe("Days that an item is kept after its publication"),
});

export type NewsConfig = z.infer<typeof newsConfig>;
export type NewsSource = NewsConfig["sources"][number];
