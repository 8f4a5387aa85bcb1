import { z } from "zod";
import { example, flag, integer } from "./config-fields.ts";
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
  allow_private: flag(
    false,
    "Whether the feed may be read from an address that is not public, such as one of the own network",
  ),
});

/** The section `news` of the config. `{}` configures no sources. */
export const newsConfig = z.strictObject({
  sources: z
    .array(source)
    .default([])
    .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, {
      message: "must not name the same id twice",
    })
    .describe("List of { id, name, lang, url, allow_private }: RSS, Atom or JSON Feed, a URL or a path"),
  contact: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, "must be printable ASCII without spaces")
    .meta({ examples: ["https://example.com/contact"] })
    .optional()
    .describe("URL or e-mail address in the user agent that sources see"),
  allow_private: flag(false, "Whether notices, help and fear_greed may be read from an address that is not public"),
  notices: example(location, "notices.json")
    .optional()
    .describe('Notices as JSON, {"notices":[{id,lang,title,body,category,url,published_at,symbols}]}: a URL or a path'),
  help: z
    .strictObject({
      zh: example(location, "help.zh.json").optional().describe("The help center in Chinese"),
      en: example(location, "help.en.json").optional().describe("The help center in English"),
    })
    .default({})
    .describe(
      'The help center as JSON, {"articles":[{id,title,body,category,url,updated_at,questions,aliases}]}: a URL or a path a ' +
        "language; questions and aliases are other ways to ask for an article",
    ),
  fear_greed: example(location, "fear-greed.json")
    .optional()
    .describe('The mood as JSON, {"series":[{date,value}]}, value from 0 (fear) to 100 (greed): a URL or a path'),
  refresh_interval_s: integer([0, 86_400], 300, "Seconds between refreshes; 0 turns them off"),
  min_interval_ms: integer(
    [0, 86_400_000],
    10_000,
    "A caller who wants a refresh so soon after the last one gets its result, ms; 0 turns this off",
  ),
  takeover_s: z
    .number()
    .min(1)
    .max(3600)
    .default(15)
    .describe("Seconds without a heartbeat after which another process takes over a refresh"),
  timeout_ms: integer([1, 300_000], 10_000, "Timeout of one source, from the connection to the last byte, ms"),
  max_bytes: integer([1024, 256 * 1024 * 1024], 5 * 1024 * 1024, "Largest source after decompression, bytes"),
  max_items: integer([1, 20_000], 2000, "News items kept, newest first"),
  max_age_days: z.number().positive().max(3650).default(30).describe("Days that an item is kept after its publication"),
});

export type NewsConfig = z.infer<typeof newsConfig>;
