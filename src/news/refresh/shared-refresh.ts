import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { JobError } from "../../compute/job-runner.ts";
import type { NewsConfig } from "../../config/news-config.ts";
import { catchDamage } from "../../storage/storage.ts";
import type { EncodedContent } from "../jobs/news-jobs.ts";
import { type LatestSnapshot, SNAPSHOT_MS, type SnapshotDeps } from "../snapshot/latest-snapshot.ts";
import type { RefreshMode, SnapshotRecord } from "../snapshot/snapshot-document.ts";
import { sourcesOf } from "../sources/sources.ts";
import type { BuildOptions, ReadSource, RefreshCounts } from "./build-snapshot.ts";
import { CONCURRENCY, createSourceReader, hasChanged, PARSE_MS, statesAt } from "./read-sources.ts";
import type { SourceReader, SourceReaderDeps } from "./read-sources.ts";
import type { createRefreshLease } from "./refresh-lease.ts";

const PAUSE_MS = { first: 20, longest: 500 } as const; // Backoff between checks of another process's refresh, ms.

export interface Refreshed {
  readonly record: SnapshotRecord;
  readonly isOwn: boolean; // Whether this process made it.
}

interface SharedRefreshDeps extends SourceReaderDeps, Pick<SnapshotDeps, "store"> {
  readonly config: NewsConfig;
  readonly latest: LatestSnapshot;
  readonly takeLease: ReturnType<typeof createRefreshLease>;
}

type Read = readonly ReadSource<EncodedContent>[];

/** Runs one refresh at a time in this process, and usually across all processes on the storage. If another process is
 * refreshing, this one waits for its snapshot instead of building its own. */
export function createSharedRefresh(deps: SharedRefreshDeps) {
  const { latest, logger } = deps;
  const closing = new AbortController();
  const { signal } = closing;
  const publisher = createPublisher(deps, signal);
  let running: { readonly mode: RefreshMode; readonly refreshed: Promise<Refreshed> } | undefined;
  let next: Promise<Refreshed> | undefined;

  async function run(mode: RefreshMode, after?: number): Promise<Refreshed> {
    let isWaiting = false;
    let fullBefore: number | null | undefined;
    for (let pause: number = PAUSE_MS.first; ; pause = Math.min(pause * 2, PAUSE_MS.longest)) {
      signal.throwIfAborted();
      const release = await deps.takeLease();
      try {
        // Checked after taking the lease, because its last holder may just have published.
        const number = await latest.look();
        const { shown } = latest;
        after ??= number;
        if (fullBefore === undefined) fullBefore = after === 0 ? null : shown?.record.last_full_ms;
        // A snapshot with a number beyond the newest one was lost by the storage.
        const isNewer = shown !== undefined && shown.version > after && shown.version <= number;
        if (isNewer && satisfies(shown.record, mode, fullBefore)) return { record: shown.record, isOwn: false };
        const record = release && (await publisher.publish(mode, number));
        if (record !== undefined) return { record, isOwn: true };
      } finally {
        await release?.();
      }
      if (!isWaiting) logger.debug({ mode }, "another process refreshes the news; waiting for it");
      isWaiting = true;
      await sleep(pause, undefined, { signal });
    }
  }

  function start(mode: RefreshMode, after?: number): Promise<Refreshed> {
    const refreshed = run(mode, after).finally(() => (running = undefined));
    running = { mode, refreshed };
    return refreshed;
  }

  /** Starts a refresh or joins the running one. A full refresh follows a light one that is running.
   * @throws StorageError when the storage fails; a failing source is recorded in the snapshot instead
   * @throws DOMException an AbortError, if it is closed meanwhile */
  function refresh(mode: RefreshMode): Promise<Refreshed> {
    if (running === undefined) return start(mode);
    if (mode === "view" || running.mode === "full") return running.refreshed;
    next ??= running.refreshed
      .catch(() => undefined)
      .then(() => start("full"))
      .finally(() => (next = undefined));
    return next;
  }

  return {
    refresh,
    /** Whether a full refresh would find local listings changed; at a daemon's start, also feeds and the configuration. */
    hasChanged: async (isStart: boolean) =>
      hasChanged((await latest.projection())?.record.sources ?? [], sourcesOf(deps.config), deps.reader, isStart),
    /** Progress of reading the sources; undefined unless this process is reading them. */
    reading: () => publisher.reading(),
    /** Joins the running refresh, or starts one that publishes only if no snapshot newer than `after` was published. */
    refreshAfter: (after: number, mode: RefreshMode) => (running === undefined ? start(mode, after) : refresh(mode)),
    /** Aborts the running refresh, so that other processes do not wait for it. */
    async close() {
      closing.abort();
      await Promise.allSettled([running?.refreshed, next]);
    },
  };
}

function createPublisher(deps: SharedRefreshDeps, signal: AbortSignal) {
  const { config, latest, store, runner, logger, shift } = deps;
  let reading: SourceReader["reading"] | undefined; // Progress of the current refresh.

  /** Reads the sources and publishes the snapshots that follow `number`: the complete one, preceded by partial ones if
   * some sources are slow and others have new content. A failing source is recorded in the snapshot.
   * @returns undefined when another process published first
   * @throws JobError when the snapshot cannot be built, even without new topics */
  async function publish(mode: RefreshMode, number: number): Promise<SnapshotRecord | undefined> {
    const { shown } = latest;
    let base = shown && (await catchDamage(store.read(shown.version), () => undefined));
    let [after, baseNumber] = [number, shown?.version]; // They differ if the newest snapshot is damaged.
    const abandoned = new AbortController();
    const either = AbortSignal.any([signal, abandoned.signal]);
    setMaxListeners(0, either); // each source that is read listens
    const limits = { now: deps.clock.now(), max_items: config.max_items, max_age_days: config.max_age_days };
    const known = base === undefined ? [] : statesAt(shown!.record, limits.now);
    const reader = createSourceReader(known, { ...deps, reader: { ...deps.reader, signal: either } });
    reading = reader.reading;
    const sources = sourcesOf(config);

    async function publishNext(changes: Pick<BuildOptions, "mode" | "counted" | "partial">) {
      const built = await build(base, reader.results(sources), { ...limits, ...changes });
      signal.throwIfAborted();
      const version = await store.publish(after, built.text, baseNumber === after ? built.patch : undefined);
      if (version === undefined) return undefined;
      [base, after, baseNumber] = [built.text, version, version];
      await latest.look({ version, text: base });
      return built.record;
    }

    try {
      const wanted = mode === "full" ? sources : sources.filter(({ kind }) => kind === "news");
      const { some, most, all } = reader.start(wanted);
      let counted: RefreshCounts | undefined = NOTHING;
      let published = 0;
      for (const moment of [some, most]) {
        await moment;
        const partial = reader.partial();
        if (partial > published) counted = await publishNext({ mode: "view", counted, partial: true });
        if (counted === undefined) return undefined;
        published = partial;
      }
      await all;
      return await publishNext({ mode, counted, partial: false });
    } finally {
      reading = undefined;
      abandoned.abort();
    }
  }

  /** Builds with new topics, or without them if the job fails or takes too long. */
  async function build(base: string | undefined, read: Read, options: Omit<BuildOptions, "cluster" | "shift">) {
    const limits = { deadline_ms: SNAPSHOT_MS, signal };
    const run = (cluster: boolean) =>
      runner.run("build", { base, read, options: { ...options, shift, cluster } }, limits);
    return run(true).catch((error: unknown) => {
      if (!(error instanceof JobError)) throw error;
      const fields = { reason: error.message, err: error.cause };
      logger.error(fields, "the topics could not be computed; they stay as they are");
      return run(false);
    });
  }

  return { publish, reading: () => reading?.() };
}

/** Whether a snapshot satisfies a refresh. A light snapshot may follow a full one that this process did not see. */
const satisfies = (record: SnapshotRecord, mode: RefreshMode, fullBefore: number | null = null): boolean =>
  record.partial !== true && (mode === "view" || record.mode === "full" || record.last_full_ms !== fullBefore);

const NOTHING: RefreshCounts = { news_updated: 0, notice_updated: 0, topic_rebuild: 0 };

/** Upper bound of the time to read and process the sources, ms. */
export function maxRefreshTime(config: NewsConfig): number {
  const sources = sourcesOf(config).length;
  return Math.ceil(sources / CONCURRENCY) * config.timeout_ms + sources * PARSE_MS + 2 * SNAPSHOT_MS;
}
