import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { JobRunner } from "../../compute/job-runner.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { CorruptionError, isOutage, type Storage } from "../../storage/storage.ts";
import type { NewsJobs, ShownParts } from "../jobs/news-jobs.ts";
import { type PublishedDocument, snapshotKey, type SnapshotRecord } from "./snapshot-document.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { printKey } from "../../storage/documents.ts";
import { deepFreeze } from "../../runtime/deep-freeze.ts";
import { type DateShift, shiftAt } from "./date-shift.ts";
import type { ProjectedParts } from "./projection.ts";
import type { TopicViews } from "./topic-views.ts";

const LOOK_EVERY_MS = 1000;
/** Longest time to build or show a snapshot of the largest size, ms. */
export const SNAPSHOT_MS = 120_000;

/** A snapshot as readers see it: frozen, a fixture's dates shifted, items newest first. */
export interface Projection extends Pick<ProjectedParts, keyof ShownParts> {
  readonly version: number; // Number of the snapshot. It increases, not always by one.
  readonly record: SnapshotRecord;
  readonly times: Float64Array; // Publication of each item, ms.
  readonly dated: number; // Number of items with a date; they come first.
  readonly topics: TopicViews;
  readonly digests: Readonly<Record<keyof ShownParts, string>>; // Digests of the items, notices and help.
}

export interface SnapshotDeps {
  readonly storage: Storage;
  readonly store: SnapshotStore;
  readonly runner: JobRunner<NewsJobs>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly monotonic: () => number; // Monotonic clock, ms.
  readonly shift: DateShift | undefined;
}

/** The newest snapshot, kept in memory. */
export class LatestSnapshot {
  readonly #deps: SnapshotDeps;
  shown: Projection | undefined; // The newest readable snapshot, of any age.
  isLive = false; // Whether `shown` is the newest known snapshot.
  /** Result of the last check: the newest number, the generation of the storage, and the shift of dates, ms. */
  #seen: { readonly number: number; readonly generation: number; readonly distance: number } | undefined;
  #lookedAt = -Infinity;
  #looking: Promise<number> | undefined;
  readonly #distance = (): number => shiftAt(this.#deps.shift, this.#deps.clock.now());

  constructor(deps: SnapshotDeps) {
    this.#deps = deps;
  }

  /** The newest snapshot with dates shifted to now, or undefined when none was published. At most once a second, one
   * caller checks for a newer one; others, and all in an outage, get the last one. @throws StorageError without one */
  async projection(): Promise<Projection | undefined> {
    const { logger, monotonic } = this.#deps;
    const isBusy = this.#looking !== undefined && this.shown !== undefined;
    const isDue =
      monotonic() - this.#lookedAt >= LOOK_EVERY_MS || (this.isLive && this.#distance() !== this.#seen?.distance);
    if (!isDue || isBusy) return this.shown;
    await this.#sharedLook().catch((error: unknown) => {
      this.isLive = false;
      if (this.shown === undefined) throw error;
      this.#lookedAt = monotonic();
      // The module that monitors the storage reports its outages.
      if (!isOutage(error))
        logger.warn({ error: (error as Error).message }, "no newer news snapshot can be read; the last one stays");
    });
    return this.shown;
  }

  /** Checks for a newer snapshot now. @param own a snapshot that this process has just published
   * @returns number of the newest, which may be damaged; 0 without one @throws StorageError when the storage fails */
  async look(own?: PublishedDocument): Promise<number> {
    await this.#looking?.catch(() => undefined); // A check in progress may have started before the publication.
    return this.#sharedLook(own);
  }

  #sharedLook(own?: PublishedDocument): Promise<number> {
    return (this.#looking ??= this.#showNewest(own).finally(() => (this.#looking = undefined)));
  }

  async #showNewest(own: PublishedDocument | undefined): Promise<number> {
    const { storage, store, monotonic } = this.#deps;
    const seen = { generation: storage.generation(), distance: this.#distance() };
    const number = own?.version ?? (await store.newestNumber());
    // After a failover another snapshot may have the same number. A damaged one is read, and reported, once.
    if (!isDeepStrictEqual(this.#seen, { number, ...seen })) {
      const show = (document: PublishedDocument) => this.#show(document);
      this.shown = (await (own === undefined ? store.readNewest(number, show) : show(own))) ?? this.shown;
      this.#seen = { number, ...seen };
    }
    this.isLive = number === 0 || this.shown?.version === number;
    this.#lookedAt = monotonic();
    return number;
  }

  /** Runs the job that parses and projects a snapshot. Arrays with unchanged content are reused from the last projection.
   * @throws CorruptionError when the document is damaged */
  async #show({ version, text }: PublishedDocument): Promise<Projection> {
    const { runner, shift, clock } = this.#deps;
    const before = this.shown;
    const input = { text, shift, now: clock.now(), known: before?.digests };
    const shown = await runner.run("show", input, { deadline_ms: SNAPSHOT_MS });
    if ("damage" in shown) throw new CorruptionError(printKey(snapshotKey(version)), shown.damage);
    const { record, times, dated, topics, parts } = shown;
    const read = async <P extends keyof ShownParts>(part: P): Promise<Projection[P]> =>
      parts[part].pages === undefined ? before![part] : readPages(parts[part].pages);
    const [items, notices, help] = [await read("items"), await read("notices"), await read("help")];
    const digests = { items: parts.items.digest, notices: parts.notices.digest, help: parts.help.digest };
    return Object.freeze({ version, record, items, notices, help, times, dated, topics, digests });
  }
}

/** Parses page by page, so that the event loop is never blocked for long. */
async function readPages<T extends readonly unknown[]>(pages: readonly Uint8Array[]): Promise<T> {
  const entries: T[number][] = [];
  for (const page of pages) {
    entries.push(...deepFreeze(JSON.parse(new TextDecoder().decode(page)) as T));
    await setImmediate();
  }
  return deepFreeze(entries as readonly unknown[] as T);
}
