import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { isOutage } from "../../storage/storage-errors.ts";
import type { Storage } from "../../storage/storage.ts";
import type { HeldSnapshot, HeldSnapshots, Projection } from "../jobs/held-snapshots.ts";
import { type DateShift, shiftAt } from "./date-shift.ts";
import type { TopicViews } from "./topic-views.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

const LOOK_EVERY_MS = 1000;

/** What a look at the storage found. */
export interface SnapshotLookup {
  /** Number of the newest published snapshot, which may be damaged; 0 when there is none. */
  readonly number: number;
  /** The newest snapshot that can be read. */
  readonly snapshot: HeldSnapshot | undefined;
}

export interface LatestSnapshotDeps {
  readonly storage: Storage;
  readonly store: SnapshotStore<HeldSnapshot>;
  readonly held: HeldSnapshots;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
  readonly shift: DateShift | undefined;
}

/** The newest snapshot, kept in memory. */
export class LatestSnapshot {
  readonly #deps: LatestSnapshotDeps;
  /** The snapshot in memory, however old. */
  inMemory: HeldSnapshot | undefined;
  /** Whether the snapshot in memory is the newest one, as far as is known. */
  isLive = false;
  /** What the last look found, and in which generation of the storage. */
  #seen: { readonly number: number; readonly generation: number } | undefined;
  #lookedAt = -Infinity;
  #looking: Promise<SnapshotLookup> | undefined;
  #projection: Projection | undefined;
  #projecting: Promise<void> | undefined;

  constructor(deps: LatestSnapshotDeps) {
    this.#deps = deps;
  }

  /** The newest snapshot with its dates as of now, or undefined when none was published. A newer one is looked for at
   * most once a second, by one caller: the others get the last one meanwhile. When the storage fails, what is in memory
   * stays.
   * @throws StorageError when the storage fails and nothing is in memory */
  async projection(): Promise<Projection | undefined> {
    const isBusy = this.#looking !== undefined || this.#projecting !== undefined;
    if (isBusy && this.#projection !== undefined) return this.#projection;
    const { clock, monotonic, shift } = this.#deps;
    if (monotonic() - this.#lookedAt >= LOOK_EVERY_MS) await this.#tryLook();
    const isCurrent = (): boolean =>
      this.#projection?.snapshot === this.inMemory && this.#projection?.distance === shiftAt(shift, clock.now());
    if (this.inMemory !== undefined && !isCurrent()) await this.#project();
    return this.#projection;
  }

  /** What is shown of the topics of a projection. @throws when they are of a snapshot that cannot be read any more */
  async topics(projection: Projection): Promise<TopicViews> {
    let views = await projection.topics();
    if (views !== undefined) return views;
    if (this.#projection === projection) {
      this.#projection = undefined;
      await this.#project();
    }
    views = await (await this.projection())?.topics();
    if (views === undefined) throw new Error("The topics are of a snapshot that cannot be read any more");
    return views;
  }

  /** The newest snapshot, read again, so that the jobs hold it. @throws StorageError when the storage fails */
  async reopen(): Promise<HeldSnapshot | undefined> {
    this.#seen = undefined;
    return (await this.look()).snapshot;
  }

  #project(): Promise<void> {
    this.#projecting ??= this.#projectNewest().finally(() => (this.#projecting = undefined));
    return this.#projecting;
  }

  /** The jobs may have lost the snapshot since: then it is read again. */
  async #projectNewest(): Promise<void> {
    const { held, clock, logger } = this.#deps;
    let newest = this.inMemory;
    for (let isReopened = false; newest !== undefined; isReopened = true) {
      const projection = await held.project(newest, clock.now(), this.#projection);
      if (projection !== undefined) {
        this.#projection = projection;
        return;
      }
      if (isReopened) break;
      newest = await this.reopen();
    }
    logger.warn({}, "the newest news snapshot cannot be shown; the last one stays");
  }

  /** Looks for a newer snapshot now. @throws StorageError when the storage fails */
  async look(): Promise<SnapshotLookup> {
    // A look that is under way may have begun before another process published.
    await this.#looking?.catch(() => undefined);
    return this.#sharedLook();
  }

  /** Takes over a snapshot that this process has just published. */
  async accept(snapshot: HeldSnapshot): Promise<void> {
    // A look that began before the publication would put the former snapshot back.
    await this.#looking?.catch(() => undefined);
    this.inMemory = snapshot;
    this.#seen = { number: snapshot.version, generation: this.#deps.storage.generation() };
    this.isLive = true;
    await this.#projecting?.catch(() => undefined);
    await this.#project();
  }

  #sharedLook(): Promise<SnapshotLookup> {
    this.#looking ??= this.#readNewest().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #readNewest(): Promise<SnapshotLookup> {
    const { storage, store, monotonic } = this.#deps;
    const generation = storage.generation();
    const number = await store.newestNumber();
    // After a failover another snapshot may have the same number. A damaged one is read, and reported, once.
    if (this.#seen?.number !== number || this.#seen.generation !== generation) {
      this.inMemory = (await store.readNewest(number)) ?? this.inMemory;
      this.#seen = { number, generation };
    }
    this.isLive = number === 0 || this.inMemory?.version === number;
    this.#lookedAt = monotonic();
    return { number, snapshot: this.inMemory };
  }

  async #tryLook(): Promise<void> {
    const { logger, monotonic } = this.#deps;
    try {
      await this.#sharedLook();
    } catch (error) {
      this.isLive = false;
      if (this.inMemory === undefined) throw error;
      this.#lookedAt = monotonic();
      // An outage of the storage is reported where the storage is watched.
      if (!isOutage(error)) {
        logger.warn({ error: (error as Error).message }, "no newer news snapshot can be read; the last one stays");
      }
    }
  }
}
