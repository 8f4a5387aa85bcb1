import { z } from "zod";
import { coverage } from "../../contract/schemas/news-schemas.ts";
import { parseDocument } from "../../storage/documents.ts";
import type { Key } from "../../storage/storage.ts";
import { type Parts, storedParts } from "../items/stored-items.ts";

const instant = z.int();
const count = z.int().min(0);

const sourceState = z.object({
  id: z.string(), // The feed's id; `notices`, `help:zh`, `help:en` or `fear_greed` for the listings.
  kind: z.enum(["news", "notice", "help", "fear_greed"]),
  name: z.string(),
  url: z.string(), // Without credentials.
  ok: z.boolean(),
  items: z.int().min(0),
  last_ok_ms: instant.nullable(),
  last_error: z.string().nullable(),
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  hash: z.string().nullable().default(null), // SHA-256 of the content parsed last; earlier versions had none.
  /** Failures in a row, why the last failed, and when it is asked again, unless at the next refresh. */
  failures: z.int().optional(),
  failure: z.string().optional(),
  next_ms: instant.optional(),
  status: z.int().optional(), // HTTP status of the last answer.
  unchanged: z.boolean().optional(), // Whether it had nothing new when it was read last.
  last_read: z.object({ read: count, kept: count, cut: count, old: count, undated: count, refused: count }).optional(),
  weight: z.number().optional(), // How much its outlet counts in heat; 1 when absent.
  settings: z.string().optional(), // The settings that its content was read with; absent where they are the defaults.
});

/** How far the topics know the items: how many new ones came since all were clustered anew, and the ids of those that no
 * topic could take up yet. */
const topicState = z.object({ added: count, waiting: z.array(z.string()) });

/** What a refresh reports. */
export const snapshotRecord = z.object({
  mode: z.enum(["view", "full"]),
  published_ms: instant,
  last_full_ms: instant.nullable(),
  sentiment_ms: instant.nullable(),
  index: z.number().nullable(), // Fear-and-greed index, 0 to 100.
  news_updated: z.int().min(0),
  notice_updated: z.int().min(0),
  topic_rebuild: z.int().min(0),
  coverage,
  sources: z.array(sourceState),
  topic_state: topicState.optional(), // Absent where all items are to be clustered anew, and in earlier builds' data.
  partial: z.boolean().optional(), // Published before the slowest sources had answered; the whole one follows.
});

/** One published snapshot as it is stored: whole, in one document. */
export const snapshotDocument = z.object({ record: snapshotRecord, parts: storedParts });
export type SourceState = z.infer<typeof sourceState>;
export type SnapshotRecord = z.infer<typeof snapshotRecord>;
export type RefreshMode = SnapshotRecord["mode"];
export type SnapshotContent = { readonly record: SnapshotRecord; readonly parts: Parts };

/** The document of a published snapshot. */
export interface PublishedDocument {
  readonly version: number; // It grows from one snapshot to the next, not always by one.
  readonly text: string;
}

/** Where a snapshot is stored. */
export const snapshotKey = (version: number): Key => ["news", "snapshot", String(version)];

/** A snapshot's document: each entry has a line of its own. */
export const printSnapshot = (content: SnapshotContent) => JSON.stringify(content).replaceAll('{"id":', '\n{"id":');

/** Parses a snapshot's document. @throws CorruptionError when it is damaged */
export const parseSnapshot = ({ version, text }: PublishedDocument): SnapshotContent =>
  parseDocument(snapshotKey(version), text, snapshotDocument)!;
