import { feedItems } from "../items/feed-item.ts";
import type { StoredArticle, StoredItem, StoredNotice } from "../items/stored-items.ts";
import { decodeText } from "./decode-text.ts";
import { type Listing, readArticles, readFearGreed, readNotices } from "./listings.ts";
import { isLocal, type Source } from "./sources.ts";

/** Minutes east of UTC of Chinese dates without a zone. */
const CHINA_ZONE = 8 * 60;

/** What was read of a source. */
export interface SourceBody {
  readonly source: Source;
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
  /** Where it came from in the end, for relative links; undefined for a file. */
  readonly url: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The day that a fear-and-greed index is wanted of: `now` without a fixture's shift. */
  readonly day: number;
}

/** The entries of a source, by its kind. */
export type SourceContent =
  | ({ readonly kind: "news" } & Listing<StoredItem>)
  | ({ readonly kind: "notice" } & Listing<StoredNotice>)
  | ({ readonly kind: "help" } & Listing<StoredArticle>)
  | { readonly kind: "fear_greed"; readonly index: number; readonly refused: 0 };

/**
 * Decodes and parses a source.
 *
 * @throws SourceError with the failure named
 */
export async function parseSource({ source, bytes, contentType, url, now, day }: SourceBody): Promise<SourceContent> {
  const text = decodeText(bytes, contentType);
  const { kind } = source;
  switch (kind) {
    case "news": {
      // The parser's library would slow the start of every command that reads no feed.
      const { parseFeed } = await import("./parse-feed.ts");
      return {
        kind,
        entries: feedItems(source, parseFeed(text, source.lang === "zh" ? CHINA_ZONE : 0), now, url),
        refused: 0,
      };
    }
    case "notice":
      return { kind, ...readNotices(text, isLocal(source)) };
    case "help":
      return { kind, ...readArticles(text, source.lang ?? "en", isLocal(source)) };
    case "fear_greed":
      return { kind, index: readFearGreed(text, day), refused: 0 };
  }
}
