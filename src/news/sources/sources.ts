import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { NewsConfig } from "../../config/news-config.ts";
import { decodeText } from "./decode-text.ts";
import { isRemote, printLocation, type ReaderOptions, readSource } from "./fetch-source.ts";
import { type Language, language } from "../../contract/schemas/shared-fields.ts";
import type { SourceState } from "../snapshot/snapshot-document.ts";
import { SourceError } from "./source-error.ts";

/** A feed, the notices, the help center of a language, or the fear-and-greed index. */
export interface Source {
  readonly id: string;
  readonly kind: SourceState["kind"];
  readonly name: string;
  readonly location: string;
  /** The language it lists; undefined when it may list any. */
  readonly lang: Language | undefined;
}

/** The sources of a config, feeds first, in its order. */
export function sourcesOf(config: NewsConfig): Source[] {
  const listing = (source: Omit<Source, "location">, location: string | undefined): Source[] =>
    location === undefined ? [] : [{ ...source, location }];
  return [
    ...config.sources.map(({ id, name, lang, url }): Source => ({ id, kind: "news", name, location: url, lang })),
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

/** Reads sources and records the outcome of each; a failure is recorded and logged, never thrown. */
export interface SourceReader {
  /**
   * Reads and parses a source.
   *
   * @param parse gets the text and the final URL after redirects; may throw SourceError
   * @returns undefined when the source failed or has not changed: its known content stays
   */
  read<T>(source: Source, parse: (text: string, url: string | undefined) => T): Promise<T | undefined>;
  /** The state of a source; the former one when it was not read. The caller adds `items`. */
  state(source: Source): Omit<SourceState, "items">;
}

/** @param before states of the snapshot whose content is kept where a source has nothing new */
export function createSourceReader(
  before: readonly SourceState[],
  deps: { clock: Clock; logger: Logger; reader: ReaderOptions },
): SourceReader {
  const states = new Map<string, Omit<SourceState, "items">>();

  function initial(source: Source): Omit<SourceState, "items"> {
    const { id, kind, name } = source;
    const url = printLocation(source.location);
    const known = before.find((state) => state.id === id && state.kind === kind && state.url === url);
    // After a rename the content is read again, since its items carry the name.
    if (known?.name === name) return known;
    if (known !== undefined) return { ...known, name, etag: null, last_modified: null };
    return { id, kind, name, url, ok: false, last_ok_ms: null, last_error: null, etag: null, last_modified: null };
  }

  const state = (source: Source): Omit<SourceState, "items"> => states.get(source.id) ?? initial(source);

  return {
    state,
    async read(source, parse) {
      const previous = state(source);
      const succeeded = { ...previous, ok: true, last_ok_ms: deps.clock.now(), last_error: null };
      try {
        // The value of the series depends on the day, so it is read each time.
        const mayStay = source.kind !== "fear_greed";
        const known = { etag: mayStay ? previous.etag : null, lastModified: mayStay ? previous.last_modified : null };
        const reading = await readSource(source.location, known, deps.reader);
        if (!reading.changed) {
          states.set(source.id, succeeded);
          return undefined;
        }
        const result = parse(decodeText(reading.bytes, reading.contentType), reading.url);
        const { etag, lastModified } = reading.validators;
        states.set(source.id, { ...succeeded, etag, last_modified: lastModified });
        return result;
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        deps.logger.warn(
          { source: source.id, url: previous.url, failure: error.failure, reason: error.message },
          "a news source failed; its last good content stays",
        );
        states.set(source.id, { ...previous, ok: false, last_error: error.message });
        return undefined;
      }
    },
  };
}

/** Runs `task` on every entry, at most `width` at once; the results are in the order of the entries. */
export async function mapBounded<T, R>(
  entries: readonly T[],
  width: number,
  task: (entry: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(entries.length);
  const queue = entries.entries();
  const worker = async (): Promise<void> => {
    for (const [index, entry] of queue) results[index] = await task(entry);
  };
  await Promise.all(Array.from({ length: Math.min(width, entries.length) }, worker));
  return results;
}
