import type { z } from "zod";
import type { sourceItem } from "../contract/schemas/assistant-schemas.ts";

/** One article, notice or news item that an answer may quote. */
export interface Passage {
  readonly id: string;
  readonly kind: "help" | "notice" | "news";
  readonly title: string;
  readonly aliases?: readonly string[]; // Alternative titles, weighted like the title.
  readonly text: string;
  readonly url: string;
  readonly lang: string; // BCP 47 tag; its primary language determines which questions the passage may answer.
  readonly published_at: string | null; // ISO 8601, or null when it is not known.
  readonly symbols?: readonly string[]; // Assets the passage is about, as ticker symbols.
  readonly category?: string; // The operator's category of an article or a notice.
  readonly outlet?: string; // The outlet of a news item.
  readonly topic?: string | undefined; // Id of the news item's topic.
}

/** A source that an answer quotes, as clients see it. */
export type SourceItem = z.infer<typeof sourceItem>;

/** The source item of a passage; `snippet` is the part that the answer uses. */
export function toSourceItem({ id, kind, title, url, lang, published_at }: Passage, snippet: string): SourceItem {
  return { id, kind, title, url, lang, published_at, snippet };
}

export const titlesOf = ({ title, aliases = [] }: Passage): string[] => [title, ...aliases];
/** The unique key of a passage. */
export const keyOf = ({ kind, lang, id }: Pick<Passage, "kind" | "lang" | "id">): string => `${kind} ${lang} ${id}`;

/** Compares two values by `<`, for sorting. */
export const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/** The passages to remove, then those to add; a changed passage is in both lists. */
export interface PassageChanges {
  readonly removed: readonly string[]; // By `keyOf`.
  readonly added: readonly Passage[];
}
