import type { JobRunner } from "../../compute/job-runner.ts";
import { remembered } from "../../runtime/cache/remembered.ts";
import { CorruptionError } from "../../storage/storage-errors.ts";
import type { ReadSource, BuildOptions } from "../refresh/build-snapshot.ts";
import { type DateShift, shiftAt } from "../snapshot/date-shift.ts";
import { deepFreeze } from "../snapshot/deep-freeze.ts";
import type { ProjectedParts } from "../snapshot/projection.ts";
import type { TopicViews } from "../snapshot/topic-views.ts";
import type { EncodedContent, Held, NewsJobs, PagedPart } from "./news-jobs.ts";

/** Longest time to open, build or project a snapshot of the largest size, ms. */
export const SNAPSHOT_MS = 120_000;

/** A snapshot whose content the jobs hold. */
export interface HeldSnapshot extends Held {
  /** The name that the jobs know it by. */
  readonly name: number;
  /** Number of the snapshot: it grows from one to the next, not always by one. */
  readonly version: number;
}

/** A snapshot that was built and is not published yet. */
export interface BuiltSnapshot extends Omit<HeldSnapshot, "version"> {
  readonly text: string;
}

/** A snapshot as readers see it: frozen, a fixture's dates shifted, items newest first. */
export interface Projection extends Pick<ProjectedParts, PagedPart> {
  readonly snapshot: HeldSnapshot;
  /** Milliseconds that a fixture's dates are shifted by. */
  readonly distance: number;
  /** Publication of each item, ms. */
  readonly times: Float64Array;
  readonly topicCount: number;
  /** What is shown of the topics; undefined when the jobs hold another snapshot by now. Computed once. */
  topics(): Promise<TopicViews | undefined>;
}

export type HeldSnapshots = ReturnType<typeof createHeldSnapshots>;

/** Has the jobs open, build and project snapshots, one at a time. What they are asked for returns undefined when they hold another one. */
export function createHeldSnapshots(runner: JobRunner<NewsJobs>, shift: DateShift | undefined) {
  let names = 0;

  /** Reads page by page, so that this thread is never held up for long. */
  async function pages<P extends PagedPart>(name: number, part: P, size: number): Promise<Projection[P] | undefined> {
    const entries: Projection[P][number][] = [];
    while (entries.length < size) {
      const page = await runner.run("page", { name, part, from: entries.length });
      if (page === undefined) return undefined;
      entries.push(...deepFreeze(page));
    }
    return Object.freeze(entries) as Projection[P];
  }

  return {
    /** @throws CorruptionError when the document is damaged */
    async open(version: number, text: string, key: string): Promise<HeldSnapshot> {
      const name = (names += 1);
      const opened = await runner.run("open", { name, text }, { deadline_ms: SNAPSHOT_MS });
      if (opened.damage !== undefined) throw new CorruptionError(key, opened.damage);
      return { name, version, ...opened };
    },
    async build(
      base: number | undefined,
      read: readonly ReadSource<EncodedContent>[],
      options: Omit<BuildOptions, "shift">,
      signal: AbortSignal,
    ): Promise<BuiltSnapshot | undefined> {
      const name = (names += 1);
      const input = { name, base, read, options: { ...options, shift } };
      const built = await runner.run("build", input, { deadline_ms: SNAPSHOT_MS, signal });
      return built && { name, ...built };
    },
    /** @param before an earlier projection, whose arrays are used again where their content is the same */
    async project(
      snapshot: HeldSnapshot,
      now: number,
      before: Projection | undefined,
    ): Promise<Projection | undefined> {
      const { name, unchanged } = snapshot;
      const distance = shiftAt(shift, now);
      const summary = await runner.run("project", { name, shift, now }, { deadline_ms: SNAPSHOT_MS });
      if (summary === undefined) return undefined;
      const { times, sizes } = summary;
      const isKnown = before?.distance === distance && [name, unchanged.since].includes(before.snapshot.name);
      const read = async <P extends PagedPart>(part: P): Promise<Projection[P] | undefined> =>
        isKnown && (before.snapshot === snapshot || unchanged.parts.includes(part))
          ? before[part]
          : pages(name, part, sizes[part]);
      const [items, notices, help] = [await read("items"), await read("notices"), await read("help")];
      if (items === undefined || notices === undefined || help === undefined) return undefined;
      const topics = remembered(() => runner.run("topics", { name, at: now }, { deadline_ms: SNAPSHOT_MS }));
      return { snapshot, distance, items, times, notices, help, topicCount: sizes.topics, topics };
    },
  };
}
