import { JobError } from "../../compute/job-runner.ts";
import type { NewsConfig } from "../../config/news-config.ts";
import { type BuiltSnapshot, type HeldSnapshot, type HeldSnapshots, SNAPSHOT_MS } from "../jobs/held-snapshots.ts";
import type { LatestSnapshot } from "../snapshot/latest-snapshot.ts";
import type { RefreshMode } from "../snapshot/snapshot-document.ts";
import { sourcesOf } from "../sources/sources.ts";
import type { BuildOptions, RefreshCounts } from "./build-snapshot.ts";
import { CONCURRENCY, PARSE_MS, SourceReader, type SourceReaderDeps } from "./read-sources.ts";

const NOTHING: RefreshCounts = { news_updated: 0, notice_updated: 0, topic_rebuild: 0 };

export interface BuildDeps extends SourceReaderDeps {
  readonly config: NewsConfig;
  readonly held: HeldSnapshots;
  readonly latest: LatestSnapshot;
}

/** How long reading and processing the sources may take at most, ms. */
export function longestRefresh(config: NewsConfig): number {
  const sources = sourcesOf(config).length;
  return Math.ceil(sources / CONCURRENCY) * config.timeout_ms + sources * PARSE_MS + 2 * SNAPSHOT_MS;
}

/**
 * The next snapshots, from the sources and the one before: the whole one, and before it a partial one, where some sources
 * are slow and others have something new. A failing source is recorded in the snapshot.
 *
 * @throws JobError when the snapshot cannot be built, even without new topics
 */
export async function* buildSnapshots(
  mode: RefreshMode,
  base: HeldSnapshot | undefined,
  deps: BuildDeps,
  closing: AbortSignal,
): AsyncGenerator<BuiltSnapshot, void, void> {
  const { config, clock } = deps;
  const abandoned = new AbortController();
  const signal = AbortSignal.any([closing, abandoned.signal]);
  const sources = sourcesOf(config);
  const reader = new SourceReader(base?.record.sources ?? [], { ...deps, reader: { ...deps.reader, signal } });
  const options = { now: clock.now(), max_items: config.max_items, max_age_days: config.max_age_days };
  try {
    const reading = reader.start(mode === "full" ? sources : sources.filter(({ kind }) => kind === "news"));
    let last: BuiltSnapshot | undefined;
    await reading.some;
    if (reader.isPartial) {
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
