import { decodeText } from "./decode-text.ts";
import { feedItems } from "../items/feed-item.ts";
import { type ReaderOptions, readSource } from "./fetch-source.ts";
import { readArticles, readFearGreed, readNotices } from "./listings.ts";
import { isLocal, type Source } from "./sources.ts";

/** What a source holds. */
export interface SourceProbe {
  readonly items: number;
  /** Entries that are not valid, and would be left out. */
  readonly refused: number;
}

/**
 * Reads a source once, as a refresh would, and keeps nothing.
 *
 * @param now milliseconds since the epoch
 * @throws SourceError with the failure named
 */
export async function probeSource(source: Source, reader: ReaderOptions, now: number): Promise<SourceProbe> {
  const reading = await readSource(source.location, { etag: null, lastModified: null }, reader);
  // Without validators a server has nothing to compare with.
  if (!reading.changed) return { items: 0, refused: 0 };
  const text = decodeText(reading.bytes, reading.contentType);
  switch (source.kind) {
    case "news": {
      const { parseFeed } = await import("./parse-feed.ts");
      return { items: feedItems(source, parseFeed(text, 0), now, reading.url).length, refused: 0 };
    }
    case "notice":
      return counted(readNotices(text, isLocal(source)));
    case "help":
      return counted(readArticles(text, source.lang ?? "en", isLocal(source)));
    case "fear_greed":
      readFearGreed(text, now);
      return { items: 1, refused: 0 };
  }
}

function counted({ entries, refused }: { entries: readonly unknown[]; refused: number }): SourceProbe {
  return { items: entries.length, refused };
}
