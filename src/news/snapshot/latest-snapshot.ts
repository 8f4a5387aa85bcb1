import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { isOutage } from "../../storage/storage-errors.ts";
import type { Storage } from "../../storage/storage.ts";
import { type DateShift, createDateShifter, shiftAt } from "./date-shift.ts";
import { type Projection, project } from "./projection.ts";
import type { Snapshot } from "./snapshot-document.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

const LOOK_EVERY_MS = 1000;

/** What a look at the storage found. */
export interface SnapshotLookup {
  /** Number of the newest published snapshot, which may be damaged; 0 when there is none. */
  readonly number: number;
  /** The newest snapshot that can be read. */
  readonly snapshot: Snapshot | undefined;
}

export interface LatestSnapshotDeps {
  readonly storage: Storage;
  readonly store: SnapshotStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
  readonly shift: DateShift | undefined;
}

/** The newest snapshot, kept in memory. */
export class LatestSnapshot {
  readonly #deps: LatestSnapshotDeps;
  #newest: Snapshot | undefined;
  /** What the last look found, and in which generation of the storage. */
  #seen: { readonly number: number; readonly generation: number } | undefined;
  #isLive = false;
  #lookedAt = -Infinity;
  #looking: Promise<SnapshotLookup> | undefined;
  #projection: Projection | undefined;

  constructor(deps: LatestSnapshotDeps) {
    this.#deps = deps;
  }

  /** The snapshot in memory, however old. */
  get inMemory(): Snapshot | undefined {
    return this.#newest;
  }

  /** Whether the snapshot in memory is the newest one, as far as is known. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /**
   * The newest snapshot with its dates as of now, or undefined when none was published. A newer one is looked for at
   * most once a second; when the storage fails, what is in memory stays.
   *
   * @throws StorageError when the storage fails and nothing is in memory
   */
  async projection(): Promise<Projection | undefined> {
    const { clock, monotonic, shift } = this.#deps;
    if (monotonic() - this.#lookedAt >= LOOK_EVERY_MS) await this.#tryLook();
    if (this.#newest === undefined) return undefined;
    const now = clock.now();
    const distance = shiftAt(shift, now);
    if (this.#projection?.snapshot !== this.#newest || this.#projection.distance !== distance) {
      this.#projection = project(this.#newest, createDateShifter(shift, now), distance, this.#projection);
    }
    return this.#projection;
  }

  /** Looks for a newer snapshot now. @throws StorageError when the storage fails */
  async look(): Promise<SnapshotLookup> {
    // A look that is under way may have begun before another process published.
    await this.#looking?.catch(() => undefined);
    return this.#sharedLook();
  }

  /** Takes over a snapshot that this process has just published. */
  async accept(snapshot: Snapshot): Promise<void> {
    // A look that began before the publication would put the former snapshot back.
    await this.#looking?.catch(() => undefined);
    this.#newest = snapshot;
    this.#seen = { number: snapshot.version, generation: this.#deps.storage.generation() };
    this.#isLive = true;
  }

  #sharedLook(): Promise<SnapshotLookup> {
    this.#looking ??= this.#readNewest().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #readNewest(): Promise<SnapshotLookup> {
    const { storage, store, monotonic } = this.#deps;
    const generation = storage.generation();
    const number = await store.newestNumber();
    // After a failover another snapshot may have the same number. A damaged one is read, and reported, once.
    if (this.#seen?.number !== number || this.#seen.generation !== generation) {
      this.#newest = (await store.readNewest(number)) ?? this.#newest;
      this.#seen = { number, generation };
    }
    this.#isLive = number === 0 || this.#newest?.version === number;
    this.#lookedAt = monotonic();
    return { number, snapshot: this.#newest };
  }

  /** Looks; when that fails, the snapshot in memory stays. */
  async #tryLook(): Promise<void> {
    const { logger, monotonic } = this.#deps;
    try {
      await this.#sharedLook();
    } catch (error) {
      this.#isLive = false;
      if (this.#newest === undefined) throw error;
      this.#lookedAt = monotonic();
      // An outage of the storage is reported where the storage is watched.
      if (!isOutage(error)) {
        logger.warn({ error: (error as Error).message }, "no newer news snapshot can be read; the last one stays");
      }
    }
  }
}
