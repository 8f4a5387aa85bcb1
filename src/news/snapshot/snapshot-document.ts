import { z } from "zod";
import { coverage } from "../../contract/schemas/news-schemas.ts";
import { parseDocument } from "../../storage/documents.ts";
import type { Key } from "../../storage/storage.ts";
import { type Parts, storedParts } from "../items/stored-items.ts";

const instant = z.int();
const count = z.int().min(0);
const counts = { read: count, kept: count, cut: count, old: count, undated: count, refused: count };

const sourceState = z.object({
  id: z.string(), // The feed's id; `notices`, `help:zh`, `help:en` or `fear_greed` for the listings.
  kind: z.enum(["news", "notice", "help", "fear_greed"]),
  name: z.string(),
  url: z.string(), // Without credentials.
  ok: z.boolean(),
  items: z.int().min(0),
  elsewhere: count.optional(), // Those of the items that are shown as another source's; absent if none.
  ...{ last_ok_ms: instant.nullable(), last_error: z.string().nullable() },
  ...{ etag: z.string().nullable(), last_modified: z.string().nullable() },
  hash: z.string().nullable().default(null), // SHA-256 of the content parsed last; earlier versions had none.
  /** Consecutive failures, the reason of the last one, and the time of the next try if not at the next refresh, ms. */
  ...{ failures: z.int().optional(), failure: z.string().optional(), next_ms: instant.optional() },
  status: z.int().optional(), // HTTP status of the last answer.
  unchanged: z.boolean().optional(), // Whether the last read found nothing new.
  last_read: z.object({ ...counts, excess: count.default(0) }).optional(), // Earlier builds counted the excess as cut.
  weight: z.number().optional(), // Weight of its outlet in heat; 1 when absent.
  settings: z.string().optional(), // What its content was read with; absent for a listing of an earlier build.
});

/** State of incremental clustering: the number of items added since the last complete clustering, and the ids of items that
 * are not clustered yet. */
const topicState = z.object({ added: count, waiting: z.array(z.string()) });

/** The metadata of a snapshot, which a refresh reports. */
export const snapshotRecord = z.object({
  mode: z.enum(["view", "full"]),
  ...{ published_ms: instant, last_full_ms: instant.nullable(), sentiment_ms: instant.nullable() },
  index: z.number().nullable(), // Fear-and-greed index, 0 to 100.
  ...{ news_updated: count, notice_updated: count, topic_rebuild: count },
  coverage,
  sources: z.array(sourceState),
  topic_state: topicState.optional(), // Absent if the next refresh clusters all items, and in earlier builds' data.
  partial: z.boolean().optional(), // Published before the slowest sources had answered; the complete one follows.
});

/** One published snapshot as it is stored: whole, in one document. */
export const snapshotDocument = z.object({ record: snapshotRecord, parts: storedParts });
export type SourceState = z.infer<typeof sourceState>;
export type SnapshotRecord = z.infer<typeof snapshotRecord>;
export type RefreshMode = SnapshotRecord["mode"];
export type SnapshotContent = { readonly record: SnapshotRecord; readonly parts: Parts };

/** The document of a published snapshot. */
export interface PublishedDocument {
  readonly version: number; // It increases with each snapshot, not always by one.
  readonly text: string;
}

/** The storage key of a snapshot. */
export const snapshotKey = (version: number): Key => ["news", "snapshot", String(version)];

/** Serializes a snapshot as its document, with one line per entry. */
export const printSnapshot = (content: SnapshotContent) => JSON.stringify(content).replaceAll('{"id":', '\n{"id":');

/** Parses a snapshot's document. @throws CorruptionError when it is damaged */
export const parseSnapshot = ({ version, text }: PublishedDocument): SnapshotContent =>
  parseDocument(snapshotKey(version), text, snapshotDocument)!;
