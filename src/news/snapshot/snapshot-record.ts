import { z } from "zod";
import { coverage } from "../../contract/schemas/news-schemas.ts";
import type { Key } from "../../storage/storage.ts";

/** The stream of snapshots and of the claims of those who make them. */
export const SNAPSHOT_STREAM: Key = ["news", "snapshots"];

const instant = z.int();
/** Number of an item of the stream; 0 stands for none. */
const number = z.int().min(0);

/** What is known of one source at the time of a snapshot. */
const sourceState = z.object({
  /** The feed's id; `notices`, `help:zh`, `help:en` or `fear_greed` for the listings. */
  id: z.string(),
  kind: z.enum(["news", "notice", "help", "fear_greed"]),
  name: z.string(),
  /** Without credentials. */
  url: z.string(),
  ok: z.boolean(),
  items: z.int().min(0),
  last_ok_ms: instant.nullable(),
  last_error: z.string().nullable(),
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
});

const mode = z.enum(["view", "full"]);

/** One published snapshot, small: its large parts are documents that it names. */
export const snapshotRecord = z.strictObject({
  /** The attempt that made it. */
  attempt: z.string(),
  /** Number of the snapshot before it. */
  previous: number,
  /** Up to this number of the stream, parts that no snapshot needs any more are removed. */
  swept: number,
  mode,
  published_ms: instant,
  last_full_ms: instant.nullable(),
  sentiment_ms: instant.nullable(),
  /** Fear-and-greed index, 0 to 100. */
  index: z.number().nullable(),
  news_updated: z.int().min(0),
  notice_updated: z.int().min(0),
  topic_rebuild: z.int().min(0),
  coverage,
  sources: z.array(sourceState),
  parts: z.strictObject({ items: z.string(), topics: z.string(), notices: z.string(), help: z.string() }),
});

/**
 * The sign of a process that is making a snapshot. Whatever is appended after it, by whomever, makes it void: what the
 * process read is not published then. Repeated by its holder, it is renewed; with a lease of 0 it is given up.
 */
export const claimRecord = z.strictObject({
  /** Names the attempt: the number of its first claim in the stream, and whose it is. */
  claim: z.string(),
  mode,
  at_ms: instant,
  /** How long it stands without a further sign, in milliseconds. */
  lease_ms: z.int().min(0),
  /** Number of the newest snapshot before it. */
  snapshot: number,
});

export const streamItem = z.union([claimRecord, snapshotRecord]);

export type SourceState = z.infer<typeof sourceState>;
export type SnapshotRecord = z.infer<typeof snapshotRecord>;
export type ClaimRecord = z.infer<typeof claimRecord>;
export type StreamItem = z.infer<typeof streamItem>;
/** What a refresh has to say, without what only its publication adds. */
export type SnapshotContent = Omit<SnapshotRecord, "attempt" | "previous" | "swept" | "parts">;

export function isClaim(item: StreamItem): item is ClaimRecord {
  return "claim" in item;
}

/** The attempt that an item belongs to. */
export function attemptOf(item: StreamItem): string {
  return isClaim(item) ? item.claim : item.attempt;
}
