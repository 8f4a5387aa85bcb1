import type { NewsConfig } from "../../config/news-config.ts";
import { isRemote } from "./read-source.ts";
import { type Language, language } from "../../contract/schemas/shared-fields.ts";
import type { SourceState } from "../snapshot/snapshot-document.ts";

/** A feed, the notices, the help center of a language, or the fear-and-greed index. */
export interface Source {
  readonly id: string;
  readonly kind: SourceState["kind"];
  readonly name: string;
  readonly location: string;
  /** The language it lists; undefined when it may list any. */
  readonly lang: Language | undefined;
  /** Whether it may be at an address that is not public; absent: no. */
  readonly allowPrivate?: boolean;
}

/** The sources of a config, feeds first, in its order. */
export function sourcesOf(config: NewsConfig): Source[] {
  const listing = (source: Omit<Source, "location" | "allowPrivate">, location: string | undefined): Source[] =>
    location === undefined ? [] : [{ ...source, location, allowPrivate: config.allow_private }];
  return [
    ...config.sources.map(({ id, name, lang, url, allow_private }): Source => ({
      id,
      kind: "news",
      name,
      location: url,
      lang,
      allowPrivate: allow_private,
    })),
    ...listing({ id: "notices", kind: "notice", name: "Notices", lang: undefined }, config.notices),
    ...language.options.flatMap((lang) =>
      listing({ id: `help:${lang}`, kind: "help", name: `Help center (${lang})`, lang }, config.help[lang]),
    ),
    ...listing(
      { id: "fear_greed", kind: "fear_greed", name: "Fear and greed index", lang: undefined },
      config.fear_greed,
    ),
  ];
}

/** Whether the dates of a source are a fixture's. */
export function isLocal(source: Source): boolean {
  return !isRemote(source.location);
}
