import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { isOutage } from "../../storage/storage-errors.ts";
import type { Storage } from "../../storage/storage.ts";
import { type DateShift, mover, shiftAt } from "./date-shift.ts";
import { type Projection, project } from "./projection.ts";
import type { Snapshot } from "./snapshot-document.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

const LOOK_EVERY_MS = 1000;

/** What a look at the storage found. */
export interface Look {
  /** Number of the newest published snapshot, which may be damaged; 0 when there is none. */
  readonly number: number;
  /** The newest snapshot that can be read. */
  readonly snapshot: Snapshot | undefined;
}

/** The newest snapshot, kept in memory. */
export interface LatestSnapshot {
  /**
   * The newest snapshot as it looks now, or undefined when none was published. A newer one is looked for at most once a
   * second; when the storage fails, what is in memory stays.
   *
   * @throws StorageError when the storage fails and nothing is in memory
   */
  projection(): Promise<Projection | undefined>;
  /** The snapshot in memory, however old. */
  inMemory(): Snapshot | undefined;
  /** Whether the snapshot in memory is the newest one, for all that is known. */
  isLive(): boolean;
  /** Looks now. @throws StorageError when the storage fails */
  look(): Promise<Look>;
  /** Takes over a snapshot that this process has just published. */
  accept(snapshot: Snapshot): Promise<void>;
}

export function createLatestSnapshot(deps: {
  readonly storage: Storage;
  readonly store: SnapshotStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly monotonic: () => number;
  readonly shift: DateShift | undefined;
}): LatestSnapshot {
  const { storage, store, clock, logger, monotonic, shift } = deps;
  let newest: Snapshot | undefined;
  /** What the last look found, and in which generation of the storage. */
  let seen: { readonly number: number; readonly generation: number } | undefined;
  let isLive = false;
  let lookedAt = -Infinity;
  let looking: Promise<Look> | undefined;
  let projection: Projection | undefined;

  async function readNewest(): Promise<Look> {
    const generation = storage.generation();
    const number = await store.newestNumber();
    // After a failover another snapshot may have the same number. A damaged one is read, and reported, once.
    if (seen?.number !== number || seen.generation !== generation) {
      newest = (await store.readNewest(number)) ?? newest;
      seen = { number, generation };
    }
    isLive = number === 0 || newest?.version === number;
    lookedAt = monotonic();
    return { number, snapshot: newest };
  }

  function look(): Promise<Look> {
    looking ??= readNewest().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function refreshMemory(): Promise<void> {
    try {
      await look();
    } catch (error) {
      isLive = false;
      if (newest === undefined) throw error;
      lookedAt = monotonic();
      // A storage that is lost is reported where it is watched.
      if (!isOutage(error)) {
        logger.warn({ error: (error as Error).message }, "no newer news snapshot can be read; the last one stays");
      }
    }
  }

  return {
    async projection() {
      if (monotonic() - lookedAt >= LOOK_EVERY_MS) await refreshMemory();
      if (newest === undefined) return undefined;
      const now = clock.now();
      const distance = shiftAt(shift, now);
      if (projection?.snapshot !== newest || projection.distance !== distance) {
        projection = project(newest, mover(shift, now), distance, projection);
      }
      return projection;
    },
    inMemory: () => newest,
    isLive: () => isLive,
    look,
    async accept(snapshot) {
      // A look that began before the publication would put the former snapshot back.
      await looking?.catch(() => undefined);
      newest = snapshot;
      seen = { number: snapshot.version, generation: storage.generation() };
      isLive = true;
    },
  };
}
