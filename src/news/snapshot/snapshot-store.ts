import { CorruptionError, isOutage } from "../../storage/storage-errors.ts";
import type { Storage } from "../../storage/storage.ts";
import { openStream, serializeItem } from "../../storage/stream.ts";
import { createPartStore, type PartStore } from "./parts.ts";
import {
  attemptOf,
  type ClaimRecord,
  isClaim,
  SNAPSHOT_STREAM,
  type SnapshotRecord,
  type StreamItem,
  streamItem,
} from "./snapshot-record.ts";
import type { Parts } from "../items/stored-items.ts";

/** Parts that none of this many newest snapshots names are removed. */
export const SNAPSHOTS_KEPT = 8;

/** A snapshot with its parts. */
export interface Snapshot {
  /** Its number in the stream: it grows from one to the next, not always by one. */
  readonly version: number;
  readonly record: SnapshotRecord;
  readonly parts: Parts;
}

/** How the stream of snapshots ends. */
export interface Top {
  /** Number of the last item, 0 when there is none. */
  readonly version: number;
  /** Number of the newest snapshot, 0 when there is none. */
  readonly snapshot: number;
  /** The claim that is the last item, if it is one. */
  readonly claim: ClaimRecord | undefined;
}

/** Told of a snapshot that cannot be read. */
export type OnDamage = (version: number, error: CorruptionError) => void;

/** Published snapshots, in an append-only stream whose expected version decides between processes. */
export interface SnapshotStore {
  /** How the stream ends now. With what was `known` of it, one look tells that it has not gone on. */
  top(known?: Top): Promise<Top>;
  /** Number and record of each snapshot from the newest down to, and without, number `after`; damaged ones are told. */
  records(top: Top, after: number, onDamage: OnDamage): AsyncGenerator<{ version: number; record: SnapshotRecord }>;
  /**
   * The newest snapshot that can be read, of the last {@link SNAPSHOTS_KEPT}. A damaged one is passed over and told.
   * Parts that `like` has too are taken from there instead of being read.
   */
  newestReadable(top: Top, onDamage: OnDamage, like?: Snapshot): Promise<Snapshot | undefined>;
  /**
   * Appends an item as number `expectedVersion + 1`. An error is met with one more try: when only the reply was lost,
   * the item that stands there is ours.
   *
   * @param previous the item before it, where it is known: after another one nothing is appended
   * @returns false when another item has that number, or the one before it is lost
   * @throws StorageError when the second try fails too; the item may then stand there or not
   */
  append(expectedVersion: number, item: StreamItem, previous?: StreamItem): Promise<boolean>;
  /**
   * Removes what no snapshot needs any more once one more is published: parts that only older ones than the last
   * {@link SNAPSHOTS_KEPT} name, and parts of attempts that came to nothing before those.
   *
   * @param isReadable whether the newest snapshot can be read: while it cannot, an older one may be the last that can,
   * and nothing goes
   * @returns the number of the stream up to which that is done
   */
  sweep(top: Top, isReadable: boolean): Promise<number>;
  readonly parts: PartStore;
}

export function createSnapshotStore(storage: Storage): SnapshotStore {
  const stream = openStream(storage, SNAPSHOT_STREAM, streamItem);
  const parts = createPartStore(storage);

  async function load(version: number, record: SnapshotRecord, like: Snapshot | undefined): Promise<Snapshot> {
    const part = async <N extends keyof Parts>(name: N): Promise<Parts[N]> =>
      like?.record.parts[name] === record.parts[name] ? like.parts[name] : parts.read(record.parts, name);
    const [items, topics, notices, help] = await Promise.all([
      part("items"),
      part("topics"),
      part("notices"),
      part("help"),
    ]);
    return { version, record, parts: { items, topics, notices, help } };
  }

  async function* records(
    top: Top,
    after: number,
    onDamage: OnDamage,
  ): AsyncGenerator<{ version: number; record: SnapshotRecord }> {
    for (let version = top.snapshot; version > after;) {
      let item: StreamItem | undefined;
      try {
        item = await stream.get(version);
      } catch (error) {
        if (!(error instanceof CorruptionError)) throw error;
        onDamage(version, error);
      }
      if (item === undefined) version -= 1;
      else if (isClaim(item)) version = item.snapshot;
      else {
        yield { version, record: item };
        version = item.previous;
      }
    }
  }

  const store: SnapshotStore = {
    parts,
    records,
    async top(known) {
      const version = await stream.head(known?.version);
      if (version === known?.version) return known;
      if (version === 0) return { version, snapshot: 0, claim: undefined };
      try {
        const item = await stream.get(version);
        if (item !== undefined && isClaim(item)) return { version, snapshot: item.snapshot, claim: item };
      } catch (error) {
        // Whatever it was, nobody can be waited for; what comes before it is found by who needs it.
        if (!(error instanceof CorruptionError)) throw error;
      }
      return { version, snapshot: version, claim: undefined };
    },
    async newestReadable(top, onDamage, like) {
      let tried = 0;
      for await (const { version, record } of records(top, Math.max(0, top.snapshot - LOOKED_BACK), onDamage)) {
        try {
          return await load(version, record, like);
        } catch (error) {
          if (!(error instanceof CorruptionError)) throw error;
          onDamage(version, error);
        }
        tried += 1;
        if (tried === SNAPSHOTS_KEPT) return undefined;
      }
      return undefined;
    },
    async append(expectedVersion, item, previous) {
      const before = previous && serializeItem(previous);
      try {
        if ((await stream.append(expectedVersion, item, before)) === "appended") return true;
      } catch (error) {
        if (!isOutage(error)) throw error;
        if ((await stream.append(expectedVersion, item, before)) === "appended") return true;
      }
      try {
        const there = await stream.get(expectedVersion + 1);
        return there !== undefined && isClaim(there) === isClaim(item) && attemptOf(there) === attemptOf(item);
      } catch (error) {
        // Damaged by whatever, but an item is created as a whole: this one is not what was written just now.
        if (error instanceof CorruptionError) return false;
        throw error;
      }
    },
    async sweep(top, isReadable) {
      const kept: SnapshotRecord[] = [];
      let oldest = 0;
      let damaged = 0;
      const onDamage = (): void => {
        damaged += 1;
      };
      for await (const { version, record } of records(top, 0, onDamage)) {
        kept.push(record);
        oldest = version;
        if (kept.length === SNAPSHOTS_KEPT - 1) break;
      }
      const swept = kept[0]?.swept ?? 0;
      // What a damaged snapshot needs is not known: nothing goes until it is no longer one of those that are kept.
      if (!isReadable || damaged > 0 || kept.length < SNAPSHOTS_KEPT - 1) return swept;
      const named = kept.map((record) => record.parts);
      for (let version = swept + 1; version < oldest; version++) await removeBehind(version, named);
      return Math.max(swept, oldest - 1);
    },
  };

  async function removeBehind(version: number, named: readonly SnapshotRecord["parts"][]): Promise<void> {
    let item: StreamItem | undefined;
    try {
      item = await stream.get(version);
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
    }
    if (item === undefined) return;
    if (!isClaim(item)) await parts.remove(item.parts, named);
    else if (item.lease_ms > 0 && isFirst(version, item)) await parts.removeOf(item.claim, named);
  }

  return store;
}

/** How far back a snapshot is looked for where the stream is damaged, in items. */
const LOOKED_BACK = 1000;

/** The first claim of an attempt has its number; what follows are renewals. */
function isFirst(version: number, { claim }: ClaimRecord): boolean {
  return claim.startsWith(`${version}-`);
}
