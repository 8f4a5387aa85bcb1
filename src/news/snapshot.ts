import { z } from "zod";
import { coverage } from "../contract/schemas/news.ts";
import { parseDocument, printKey } from "../storage/documents.ts";
import { CorruptionError } from "../storage/errors.ts";
import type { Key, Storage } from "../storage/storage.ts";
import { openStream } from "../storage/stream.ts";
import { digestOf } from "./digest.ts";
import { type Parts, storedArticle, storedItem, storedNotice, storedTopic } from "./stored.ts";

const STREAM: Key = ["news", "snapshots"];
/** Parts that none of this many newest snapshots refers to are removed. */
export const SNAPSHOTS_KEPT = 8;

const instant = z.int();

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

/** One published snapshot, small: its large parts are documents that it names by the hash of their content. */
const snapshotRecord = z.object({
  mode: z.enum(["view", "full"]),
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
  parts: z.object({ items: z.string(), topics: z.string(), notices: z.string(), help: z.string() }),
});

export type SourceState = z.infer<typeof sourceState>;
export type SnapshotRecord = z.infer<typeof snapshotRecord>;
export type SnapshotContent = Omit<SnapshotRecord, "parts">;

/** A snapshot with its parts. */
export interface Snapshot {
  readonly version: number;
  readonly record: SnapshotRecord;
  readonly parts: Parts;
}

const PART_NAMES = ["items", "topics", "notices", "help"] as const;

function partKey(hash: string): Key {
  return ["news", `part-${hash}`];
}

/** Published snapshots, in an append-only stream whose expected version decides between processes. */
export interface SnapshotStore {
  /** Number of the newest snapshot, 0 when there is none. */
  head(known?: number): Promise<number>;
  /**
   * A snapshot with its parts; parts that `like` has too are taken from there instead of being read.
   *
   * @throws CorruptionError when a part is missing or damaged
   */
  load(version: number, like?: Snapshot): Promise<Snapshot | undefined>;
  /**
   * The newest snapshot that can be read, of the last {@link SNAPSHOTS_KEPT}. A damaged one is passed over and told.
   */
  newestReadable(
    head: number,
    onDamage: (version: number, error: CorruptionError) => void,
    like?: Snapshot,
  ): Promise<Snapshot | undefined>;
  /**
   * Publishes as number `expectedVersion + 1`.
   *
   * @returns undefined when another refresher published first; nothing of this one is visible then
   */
  publish(expectedVersion: number, content: SnapshotContent, parts: Parts): Promise<Snapshot | undefined>;
}

export function createSnapshotStore(storage: Storage): SnapshotStore {
  const stream = openStream(storage, STREAM, snapshotRecord);

  async function readPart<T>(hash: string, schema: z.ZodType<T>): Promise<T> {
    const key = partKey(hash);
    const part = parseDocument(key, await storage.get(key), schema);
    if (part === undefined) throw new CorruptionError(printKey(key), "the part is missing");
    return part;
  }

  async function load(version: number, like?: Snapshot): Promise<Snapshot | undefined> {
    const record = await stream.get(version);
    if (record === undefined) return undefined;
    const { parts } = record;
    const known = <N extends keyof Parts>(name: N): Parts[N] | undefined =>
      like?.record.parts[name] === parts[name] ? like.parts[name] : undefined;
    const [items, topics, notices, help] = await Promise.all([
      known("items") ?? readPart(parts.items, z.array(storedItem)),
      known("topics") ?? readPart(parts.topics, z.array(storedTopic)),
      known("notices") ?? readPart(parts.notices, z.array(storedNotice)),
      known("help") ?? readPart(parts.help, z.array(storedArticle)),
    ]);
    return { version, record, parts: { items, topics, notices, help } };
  }

  /**
   * Removes the parts of the snapshot that has just left the kept ones, unless a kept one has them too. While one of
   * them cannot be read, nothing is removed.
   */
  async function removeOld(version: number): Promise<void> {
    if (version <= SNAPSHOTS_KEPT) return;
    try {
      const [old, ...kept] = await stream.read(version - SNAPSHOTS_KEPT, version);
      const needed = new Set(kept.flatMap(({ parts }) => Object.values(parts)));
      for (const hash of Object.values(old!.parts)) if (!needed.has(hash)) await storage.remove(partKey(hash));
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
    }
  }

  return {
    head: (known) => stream.head(known),
    load,
    async newestReadable(head, onDamage, like) {
      for (let version = head; version > 0 && version > head - SNAPSHOTS_KEPT; version--) {
        try {
          return await load(version, like);
        } catch (error) {
          if (!(error instanceof CorruptionError)) throw error;
          onDamage(version, error);
        }
      }
      return undefined;
    },
    async publish(expectedVersion, content, parts) {
      const texts = new Map(PART_NAMES.map((name) => [name, JSON.stringify(parts[name])]));
      const hashes = new Map(Array.from(texts, ([name, text]) => [name, digestOf([name, text], 40)]));
      const writeParts = async (): Promise<void> => {
        for (const [name, text] of texts) await storage.create(partKey(hashes.get(name)!), text);
      };
      await writeParts();
      const record: SnapshotRecord = {
        ...content,
        parts: {
          items: hashes.get("items")!,
          topics: hashes.get("topics")!,
          notices: hashes.get("notices")!,
          help: hashes.get("help")!,
        },
      };
      if (!(await stream.append(expectedVersion, record))) return undefined;
      const version = expectedVersion + 1;
      // A part that was there already may have been old to another refresher, which removed it before the append.
      await writeParts();
      await removeOld(version);
      return { version, record, parts };
    },
  };
}
