import { setTimeout as sleep } from "node:timers/promises";
import { type HeldSnapshot, type BuiltSnapshot, type HeldSnapshots, SNAPSHOT_MS } from "../jobs/held-snapshots.ts";
import type { BundledSnapshot } from "../snapshot/bundled-snapshot.ts";
import type { RefreshMode } from "../snapshot/snapshot-document.ts";
import type { SnapshotStore } from "../snapshot/snapshot-store.ts";
import { type RefreshResult, resultOf, type BuildOptions, type RefreshCounts } from "./build-snapshot.ts";
import type { RefreshLease } from "./refresh-lease.ts";
import { JobError } from "../../compute/job-runner.ts";
import type { NewsConfig } from "../../config/news-config.ts";
import type { LatestSnapshot } from "../snapshot/latest-snapshot.ts";
import { sourcesOf } from "../sources/sources.ts";
import { CONCURRENCY, createSourceReader, PARSE_MS, type SourceReader, type SourceReaderDeps } from "./read-sources.ts";

/** Pauses between looks at what another process is doing, ms: short at first. */
const PAUSE_MS = { first: 20, longest: 500 } as const;

export interface Refreshed {
  readonly result: RefreshResult;
  /** Whether this process made it. */
  readonly isOwn: boolean;
}

/** Refreshes: one at a time in this process, and usually over all processes on the storage. This process makes the
 * snapshot, unless another one is at work: then it waits for that one's. */
export type SharedRefresh = ReturnType<typeof createSharedRefresh>;

export interface SharedRefreshDeps extends BuildDeps {
  readonly store: SnapshotStore<HeldSnapshot>;
  readonly lease: RefreshLease;
  readonly bundled: () => Promise<BundledSnapshot>;
}

export function createSharedRefresh(deps: SharedRefreshDeps) {
  const { latest, logger } = deps;
  const closing = new AbortController();
  const { signal } = closing;
  let running: { readonly mode: RefreshMode; readonly refreshed: Promise<Refreshed> } | undefined;
  let next: Promise<Refreshed> | undefined;

  async function run(mode: RefreshMode, after?: number): Promise<Refreshed> {
    const never = (await deps.bundled()).published_at;
    let isWaiting = false;
    let fullBefore: number | null | undefined;
    for (let pause: number = PAUSE_MS.first; ; pause = Math.min(pause * 2, PAUSE_MS.longest)) {
      signal.throwIfAborted();
      const lease = await deps.lease.take();
      try {
        // Looked for with the lease in hand: its last holder may just have published.
        const { number, snapshot } = await latest.look();
        after ??= number;
        if (fullBefore === undefined) fullBefore = after === 0 ? null : snapshot?.record.last_full_ms;
        const isAnswered = snapshot !== undefined && answers(snapshot, { mode, after, fullBefore, number });
        if (isAnswered) return { result: resultOf(snapshot.record, never), isOwn: false };
        const own = lease && (await publish(deps, { mode, number, base: snapshot, signal }));
        if (own !== undefined) return { result: resultOf(own.record, never), isOwn: true };
      } finally {
        await lease?.release();
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

  /** The result of the running refresh; of the next one where a full one is wanted while a light one runs.
   * @throws StorageError when the storage fails; a failing source is recorded in the snapshot instead
   * @throws DOMException an AbortError, when it is closed meanwhile */
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
    /** The result of the running refresh, or of one that is made only if no snapshot newer than `after` was published. */
    refreshAfter: (after: number, mode: RefreshMode) => (running === undefined ? start(mode, after) : refresh(mode)),
    /** Aborts what runs, so that other processes need not wait for it. */
    async close() {
      closing.abort();
      await Promise.allSettled([running?.refreshed, next]);
    },
  };
}

/** Builds and publishes snapshots after that number; undefined when another process published first. */
async function publish(
  deps: SharedRefreshDeps,
  of: { mode: RefreshMode; number: number; base: HeldSnapshot | undefined; signal: AbortSignal },
): Promise<HeldSnapshot | undefined> {
  let own: HeldSnapshot | undefined;
  for await (const { text, ...built } of buildSnapshots(of.mode, of.base, deps, of.signal)) {
    of.signal.throwIfAborted();
    const version = await deps.store.publish(own?.version ?? of.number, text);
    if (version === undefined) return undefined;
    own = { ...built, version };
    await deps.latest.accept(own);
  }
  return own;
}

/** Whether a refresh may result in a snapshot. One whose number is beyond the newest one was lost by the storage. A
 * light one may have followed a full one that nobody saw. */
function answers(
  { version, record }: HeldSnapshot,
  wanted: { mode: RefreshMode; after: number; fullBefore: number | null | undefined; number: number },
): boolean {
  if (record.partial === true || version <= wanted.after || version > wanted.number) return false;
  return wanted.mode === "view" || record.mode === "full" || record.last_full_ms !== (wanted.fullBefore ?? null);
}

const NOTHING: RefreshCounts = { news_updated: 0, notice_updated: 0, topic_rebuild: 0 };

interface BuildDeps extends SourceReaderDeps {
  readonly config: NewsConfig;
  readonly held: HeldSnapshots;
  readonly latest: LatestSnapshot;
}

/** How long reading and processing the sources may take at most, ms. */
export function longestRefresh(config: NewsConfig): number {
  const sources = sourcesOf(config).length;
  return Math.ceil(sources / CONCURRENCY) * config.timeout_ms + sources * PARSE_MS + 2 * SNAPSHOT_MS;
}

/** The next snapshots, from the sources and the one before: the whole one, and before it a partial one, where some
 * sources are slow and others have something new. A failing source is recorded in the snapshot.
 * @throws JobError when the snapshot cannot be built, even without new topics */
async function* buildSnapshots(
  mode: RefreshMode,
  base: HeldSnapshot | undefined,
  deps: BuildDeps,
  closing: AbortSignal,
): AsyncGenerator<BuiltSnapshot, void, void> {
  const { config, clock } = deps;
  const abandoned = new AbortController();
  const signal = AbortSignal.any([closing, abandoned.signal]);
  const sources = sourcesOf(config);
  const reader = createSourceReader(base?.record.sources ?? [], { ...deps, reader: { ...deps.reader, signal } });
  const options = { now: clock.now(), max_items: config.max_items, max_age_days: config.max_age_days };
  try {
    const reading = reader.start(mode === "full" ? sources : sources.filter(({ kind }) => kind === "news"));
    let last: BuiltSnapshot | undefined;
    await reading.some;
    if (reader.isPartial()) {
      const partial = { ...options, mode: "view", counted: NOTHING, partial: true } as const;
      last = await build(base, reader.results(sources), partial, deps, closing);
      yield last;
    }
    await reading.all;
    const whole = { ...options, mode, counted: last?.record ?? NOTHING, partial: false };
    yield await build(last ?? base, reader.results(sources), whole, deps, closing);
  } finally {
    abandoned.abort();
  }
}

/** Builds with new topics, or without when they take too long. */
async function build(
  base: { readonly name: number } | undefined,
  read: ReturnType<SourceReader["results"]>,
  options: Omit<BuildOptions, "cluster" | "shift">,
  { held, latest, logger }: BuildDeps,
  signal: AbortSignal,
): Promise<BuiltSnapshot> {
  let cluster = true;
  let isReopened = false;
  for (;;) {
    try {
      const built = await held.build(base?.name, read, { ...options, cluster }, signal);
      if (built !== undefined) return built;
    } catch (error) {
      if (!(error instanceof JobError) || !cluster) throw error;
      logger.error(
        { reason: error.message, err: error.cause },
        "the topics could not be computed; they stay as they are",
      );
      cluster = false;
      isReopened = false;
    }
    if (isReopened) throw new JobError("failed", "the snapshot is not held");
    isReopened = true;
    if (base !== undefined) base = await latest.reopen();
  }
}
