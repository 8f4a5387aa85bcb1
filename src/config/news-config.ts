import { z } from "zod";
import { zoneMinutes } from "../runtime/zone-offset.ts";
import { example, integer } from "./section.ts";
import { language } from "../contract/schemas/shared-fields.ts";

const isHttp = (value: string) =>
  !/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || (/^https?:\/\/[^/\s]/i.test(value) && URL.canParse(value));

const trimmed = z.string().trim().min(1);
/** An address of a feed as browsers hand it over, `feed://…` or `feed:https://…`, as that of HTTP. */
export const httpAddress = (value: string): string =>
  value.replace(/^feed:(?:\/\/)?(?=https?:)/i, "").replace(/^feed:(?=\/\/)/i, "http:");

const location = trimmed
  .overwrite(httpAddress)
  .refine(isHttp, "must be an http(s) URL or a path relative to the config file");
const isZone = (name: string): boolean => /^[+-]|\/|^(?:utc|z)$/i.test(name) && zoneMinutes(name, 0) !== undefined;
const zone = z.string().refine(isZone, "must be as +08:00 or Europe/London"); // CST is of America or of China.
const fileOf = (shown: string) => example(location, shown).optional();
const contact = z.string().regex(/^[\x21-\x7e]{1,200}$/, "must be printable ASCII without spaces");

/** What a connection itself sends cannot be set. */
const HEADER =
  /^(?!(?:connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$)[\w-]{1,64}$/i;
const headerName = z.string().regex(HEADER, "must be the name of a header that the connection does not set itself");
export const headerValue = z.string().regex(/^[\x20-\x7e]{1,4096}$/, "must be 1 to 4096 printable ASCII characters");

export const newsSource = z.strictObject({
  id: z.string().regex(/^[\w.-]{1,64}$/, "must be 1 to 64 of letters, digits, _ . -"),
  name: trimmed.max(128),
  lang: language.describe("Main language of the feed; the language of each item is detected"),
  url: location,
  allow_private: z.boolean().default(false),
  timezone: zone.optional(),
  categories: z.array(trimmed.max(64)).max(20).optional(),
  weight: z.number().min(0.1).max(10).optional(),
  headers: z.record(headerName, headerValue).optional(),
});

const haveOwnIds = (list: readonly { id: string }[]) => new Set(list.map(({ id }) => id)).size === list.length;

/** The section `news` of the config. `{}` configures no sources. */
export const newsConfig = z.strictObject({
  sources: z.array(newsSource).default([]).refine(haveOwnIds, "must not name the same id twice"),
  contact: example(contact, "https://example.com/contact").optional(),
  allow_private: z.boolean().default(false),
  notices: fileOf("notices.json"),
  help: z.strictObject({ zh: fileOf("help.zh.json"), en: fileOf("help.en.json") }).default({}),
  fear_greed: fileOf("fear-greed.json"),
  refresh_interval_s: integer([0, 86_400], 300),
  min_interval_ms: integer([0, 86_400_000], 10_000),
  takeover_s: z.number().min(1).max(3600).default(15),
  timeout_ms: integer([1, 300_000], 10_000),
  max_bytes: integer([1024, 256 * 1024 * 1024], 5 * 1024 * 1024),
  max_items: integer([1, 20_000], 2000),
  max_age_days: z.number().positive().max(3650).default(30),
});

export type NewsConfig = z.infer<typeof newsConfig>;
