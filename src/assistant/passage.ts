import type { z } from "zod";
import type { sourceItem } from "../contract/schemas/assistant-schemas.ts";

/** One article, notice or news item that an answer may quote. */
export interface Passage {
  readonly id: string;
  readonly kind: "help" | "notice" | "news";
  readonly title: string;
  readonly text: string;
  readonly url: string;
  /** BCP 47 tag; its first part decides which questions the passage may answer. */
  readonly lang: string;
  /** ISO 8601, or null when it is not known. */
  readonly published_at: string | null;
  /** Assets the passage is about, as ticker symbols. */
  readonly symbols?: readonly string[];
}

/** A source that an answer quotes, as clients see it. */
export type SourceItem = z.infer<typeof sourceItem>;

/** The source item of a passage; `snippet` is the part that the answer uses. */
export function toSourceItem(passage: Passage, snippet: string): SourceItem {
  const { id, kind, title, url, lang, published_at } = passage;
  return { id, kind, title, url, lang, published_at, snippet };
}
