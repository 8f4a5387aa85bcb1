import { setImmediate } from "node:timers/promises";
import type { JobRunner } from "../../compute/job-runner.ts";
import { printKey } from "../../storage/documents.ts";
import { CorruptionError } from "../../storage/storage.ts";
import type { NewsJobs, ShownParts } from "../jobs/news-jobs.ts";
import type { DateShift } from "./date-shift.ts";
import { deepFreeze } from "./deep-freeze.ts";
import type { ProjectedParts } from "./projection.ts";
import { type PublishedDocument, snapshotKey, type SnapshotRecord } from "./snapshot-document.ts";
import type { TopicViews } from "./topic-views.ts";

/** Longest time to build or show a snapshot of the largest size, ms. */
export const SNAPSHOT_MS = 120_000;

/** A snapshot as readers see it: frozen, a fixture's dates shifted, items newest first. */
export interface Projection extends Pick<ProjectedParts, keyof ShownParts> {
  readonly version: number; // Number of the snapshot: it grows from one to the next, not always by one.
  readonly record: SnapshotRecord;
  readonly times: Float64Array; // Publication of each item, ms.
  readonly topics: TopicViews;
  readonly digests: Readonly<Record<keyof ShownParts, string>>; // Digests of the items, notices and help.
}

/** Has the jobs read and project a snapshot.
 * @param at.before an earlier projection, whose arrays are used again where their content is the same
 * @throws CorruptionError when the document is damaged */
export async function showSnapshot(
  runner: JobRunner<NewsJobs>,
  { version, text }: PublishedDocument,
  { shift, now, before }: { shift: DateShift | undefined; now: number; before: Projection | undefined },
): Promise<Projection> {
  const shown = await runner.run("show", { text, shift, now, known: before?.digests }, { deadline_ms: SNAPSHOT_MS });
  if ("damage" in shown) throw new CorruptionError(printKey(snapshotKey(version)), shown.damage);
  const { record, times, topics, parts } = shown;
  const read = async <P extends keyof ShownParts>(part: P): Promise<Projection[P]> =>
    parts[part].pages === undefined ? before![part] : readPages(parts[part].pages);
  const [items, notices, help] = [await read("items"), await read("notices"), await read("help")];
  const digests = { items: parts.items.digest, notices: parts.notices.digest, help: parts.help.digest };
  return Object.freeze({ version, record, items, notices, help, times, topics, digests });
}

/** Reads page by page, so that this thread is never held up for long. */
async function readPages<T extends readonly unknown[]>(pages: readonly Uint8Array[]): Promise<T> {
  const entries: T[number][] = [];
  for (const page of pages) {
    entries.push(...deepFreeze(JSON.parse(new TextDecoder().decode(page)) as T));
    await setImmediate();
  }
  return deepFreeze(entries as readonly unknown[] as T);
}
