import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { JobContext } from "../../compute/job-runner.ts";
import { parseDocument } from "../../storage/documents.ts";
import { CorruptionError } from "../../storage/storage-errors.ts";
import type { Parts } from "../items/stored-items.ts";
import { buildSnapshot, type BuildOptions, type ReadSource } from "../refresh/build-snapshot.ts";
import { createDateShifter, type DateShift, shiftAt } from "../snapshot/date-shift.ts";
import { project, type ProjectedParts } from "../snapshot/projection.ts";
import { type SnapshotContent, snapshotDocument, type SnapshotRecord } from "../snapshot/snapshot-document.ts";
import { topicViews, type TopicViews } from "../snapshot/topic-views.ts";
import { parseSource, type SourceBody, type SourceContent } from "../sources/parse-source.ts";
import { SourceError } from "../sources/source-error.ts";

/** Entries of one page: what the receiver reads and freezes in a few milliseconds. */
const PAGE = 400;

/** The content of a source as the jobs pass it on: JSON in UTF-8, which the thread in between does not have to read. */
export type EncodedContent = Uint8Array;

/** A snapshot that is held now, but for its parts. */
export interface Held {
  readonly record: SnapshotRecord;
  /** The parts that it has in common with the one that was held before. */
  readonly unchanged: {
    /** The name of the one before; undefined when none was held. */
    readonly since: number | undefined;
    readonly parts: readonly (keyof Parts)[];
  };
}

/** The parts of a projection that are read page by page. */
export type PagedPart = "items" | "notices" | "help";

interface Named {
  readonly name: number;
}

type BuildInput = Named & {
  base: number | undefined;
  read: readonly ReadSource<EncodedContent>[];
  options: BuildOptions;
};

export type NewsJobs = ReturnType<typeof createNewsJobs>;

/** The jobs of the news room. One snapshot is held between them, under a name that the caller gave it. A job that needs
 * the snapshot returns undefined when another one is held, or none: the worker may have been replaced since. */
export function createNewsJobs() {
  let held: { readonly name: number; readonly content: SnapshotContent } | undefined;
  let projected: { readonly distance: number; readonly parts: ProjectedParts } | undefined;

  function hold(name: number, content: SnapshotContent): Held {
    const before = held;
    held = { name, content };
    projected = undefined;
    const names = Object.keys(content.parts) as (keyof Parts)[];
    const same = names.filter((part) => isDeepStrictEqual(before?.content.parts[part], content.parts[part]));
    return { record: content.record, unchanged: { since: before?.name, parts: same } };
  }

  const projectionOf = (name: number): ProjectedParts | undefined =>
    held?.name === name ? projected?.parts : undefined;

  return {
    /** Decodes and parses a source, unless it has the content of that hash. */
    parse,
    open({ name, text }: Named & { text: string }): (Held & { readonly damage?: never }) | { readonly damage: string } {
      try {
        return hold(name, parseDocument(["news", "snapshot"], text, snapshotDocument)!);
      } catch (error) {
        if (error instanceof CorruptionError) return { damage: error.reason };
        throw error;
      }
    },
    /** Builds the next snapshot from the one held, or from none, and holds it under `name`; `text` is its document. */
    async build({ name, base, read, options }: BuildInput, { step }: JobContext) {
      if (base !== undefined && base !== held?.name) return undefined;
      const contents = read.map((each) => ({ ...each, content: each.content && decode(each.content) }));
      const content = await buildSnapshot(base === undefined ? undefined : held?.content, contents, options, step);
      return { text: JSON.stringify(content), ...hold(name, content) };
    },
    /** Projects the snapshot to the instant `now`: the times of its items, ms, newest first, and the size of each part. */
    project({ name, shift, now }: Named & { shift: DateShift | undefined; now: number }, { move }: JobContext) {
      if (held?.name !== name) return undefined;
      const distance = shiftAt(shift, now);
      if (projected?.distance !== distance) {
        projected = { distance, parts: project(held.content.parts, createDateShifter(shift, now)) };
      }
      const { items, topics, notices, help } = projected.parts;
      const times = Float64Array.from(projected.parts.times);
      move(times.buffer);
      const sizes = { items: items.length, topics: topics.length, notices: notices.length, help: help.length };
      return { times, sizes };
    },
    /** The entries of a part from an index on, as many as fit a page, of the last projection. */
    page: ({ name, part, from }: Named & { part: PagedPart; from: number }) =>
      projectionOf(name)?.[part].slice(from, from + PAGE),
    /** What is shown of the topics of the last projection, with their heat at an instant in ms. */
    topics({ name, at }: Named & { at: number }): TopicViews | undefined {
      const parts = projectionOf(name);
      return parts && topicViews(parts.topics, at);
    },
  };
}

async function parse({ knownHash, ...body }: SourceBody & { knownHash: string | null }, { move }: JobContext) {
  const hash = createHash("sha256").update(body.bytes).digest("hex");
  if (hash === knownHash) return { outcome: "unchanged" } as const;
  try {
    const parsed = await parseSource(body);
    const content = new TextEncoder().encode(JSON.stringify(parsed));
    move(content.buffer);
    return { outcome: "read", hash, content, refused: parsed.refused } as const;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { outcome: "failed", failure: error.failure, message: error.message } as const;
  }
}

export type Parsed = Awaited<ReturnType<typeof parse>>;

const decode = (content: EncodedContent) => JSON.parse(new TextDecoder().decode(content)) as SourceContent;
