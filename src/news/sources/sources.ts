import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ConfigError } from "../../config/config-errors.ts";
import type { NewsConfig } from "../../config/news-config.ts";
import { isRemote, type Location, helpFilesIn, printLocation } from "./read-source.ts";
import { SourceError } from "./source-error.ts";
import { type Language, language } from "../../contract/schemas/shared-fields.ts";
import type { SourceState } from "../snapshot/snapshot-document.ts";

/** A feed, the notices, the help center of a language, or the fear-and-greed index. */
export interface Source extends Location {
  readonly id: string;
  readonly kind: SourceState["kind"];
  readonly name: string;
  readonly lang: Language | undefined; // The language it lists; undefined when it may list any.
  readonly timezone?: string | undefined; // Zone of dates without one, such as `+08:00` or `Europe/London`.
  readonly categories?: string[] | undefined;
  readonly weight?: number | undefined;
  readonly other?: string | undefined; // Location of the help center of the other language.
  readonly limits?: readonly number[]; // `max_items` and `max_age_days`.
}

/** The sources of a config, feeds first, in its order. */
export function sourcesOf({ sources, notices, help, fear_greed, allow_private, ...config }: NewsConfig): Source[] {
  const listing = (location: string | undefined, source: Omit<Source, "location" | "allowPrivate">): Source[] =>
    location === undefined ? [] : [{ ...source, location, allowPrivate: allow_private }];
  return [
    ...sources.map(({ url: location, allow_private: allowPrivate, ...rest }): Source => {
      return { ...rest, kind: "news", location, allowPrivate, limits: [config.max_items, config.max_age_days] };
    }),
    ...listing(notices, { id: "notices", kind: "notice", name: "Notices", lang: undefined }),
    ...language.options.flatMap((lang) => {
      const other = help[lang === "zh" ? "en" : "zh"];
      return listing(help[lang], { id: `help:${lang}`, kind: "help", name: `Help center (${lang})`, lang, other });
    }),
    ...listing(fear_greed, { id: "fear_greed", kind: "fear_greed", name: "Fear and greed index", lang: undefined }),
  ];
}

const READER = 4; // Version of how sources are read. Another version reads an unchanged source again.

/** What a source's entries depend on besides its content, serialized without credentials. */
export const settingsOf = ({ kind, lang, timezone, categories, limits, other: place }: Source): string => {
  const other = place && printLocation(place);
  return JSON.stringify({ reader: READER, other, ...(kind === "news" && { lang, timezone, categories, limits }) });
};

/** Whether the dates of a source are a fixture's. */
export const isLocal = (source: Source): boolean => !isRemote(source.location);

const messageOf = (error: unknown) => (error instanceof SourceError ? error.message : undefined);

/** Checks the sizes of the notices and help files: a daemon that skips files over the limit could not answer anything.
 * @throws ConfigError that names each setting whose file is larger than `news.max_bytes` */
export async function checkListingSizes(config: NewsConfig, baseDir: string): Promise<void> {
  const listings = { "news.notices": config.notices, "news.help.zh": config.help.zh, "news.help.en": config.help.en };
  const errors: string[] = [];
  for (const [key, location] of Object.entries(listings)) {
    if (location === undefined || isRemote(location)) continue;
    // A missing file is reported by the refresh, like a server that does not answer.
    const path = resolve(baseDir, location);
    const found = await stat(path).catch(() => undefined);
    const { size = 0 } = found?.isFile() ? found : {};
    const tooLarge = found?.isDirectory()
      ? await helpFilesIn(path, config.max_bytes).then(() => undefined, messageOf)
      : size > config.max_bytes && `${size} bytes, more than news.max_bytes (${config.max_bytes})`;
    if (tooLarge) errors.push(`${key}: ${location} has ${tooLarge}`);
  }
  if (errors.length > 0) throw new ConfigError(errors);
}
