import { createHash } from "node:crypto";
import type { JobContext } from "../../compute/job-runner.ts";
import { parseDocument } from "../../storage/documents.ts";
import { CorruptionError } from "../../storage/storage.ts";
import { buildSnapshot, type BuildOptions, type ReadSource } from "../refresh/build-snapshot.ts";
import { createDateShifter, type DateShift } from "../snapshot/date-shift.ts";
import { project, type ProjectedParts } from "../snapshot/projection.ts";
import { patchOf } from "../snapshot/line-patch.ts";
import { printSnapshot, type SnapshotContent, snapshotDocument } from "../snapshot/snapshot-document.ts";
import { topicViews } from "../snapshot/topic-views.ts";
import { HeadlineMemory } from "../topics/headline-memory.ts";
import { countsOf, parseSource, type SourceBody, type SourceContent } from "../sources/parse-source.ts";
import { SourceError } from "../sources/source-error.ts";

const PAGE = 400; // Entries per page: the receiver parses and freezes one in a few milliseconds.

/** UTF-8 JSON: a source's content, which the main thread passes on without parsing, or a page of entries. */
export type EncodedContent = Uint8Array;
/** The parts of a projection that are passed on in pages, with a digest of their content. */
export type ShownParts = Pick<ProjectedParts, "items" | "notices" | "help">;

interface BuildInput {
  readonly base: string | undefined; // The previous snapshot's document.
  readonly read: readonly ReadSource<EncodedContent>[];
  readonly options: BuildOptions;
}

interface ShowInput {
  readonly text: string;
  readonly shift: DateShift | undefined;
  readonly now: number;
  /** Digests of the parts that the caller has: these are not sent again. */
  readonly known?: Readonly<Record<keyof ShownParts, string>> | undefined;
}

export type NewsJobs = ReturnType<typeof createNewsJobs>;

/** The jobs of the news worker. The input of a job is complete, because the worker may have been replaced since the last
 * one; the last document is cached only to avoid parsing it again. */
export function createNewsJobs() {
  const memory = new HeadlineMemory();
  let last: { readonly text: string; readonly content: SnapshotContent } | undefined;
  const parsed: ParsedSources = new Map();

  /** @throws CorruptionError when the document is damaged */
  function contentOf(text: string): SnapshotContent {
    if (last?.text !== text) last = { text, content: parseDocument(["news", "snapshot"], text, snapshotDocument)! };
    return last.content;
  }

  return {
    parse: createParse(parsed), // Decodes and parses a source, unless its content has the hash `knownHash`.
    /** Builds the next snapshot: its document, its patch to the previous one, and its record. */
    async build({ base, read, options }: BuildInput, { step }: JobContext) {
      const contents = read.map((each) => {
        const { hash, content } = parsed.get(each.source.id) ?? {};
        return { ...each, content: each.content && (hash === each.state.hash ? content : decode(each.content)) };
      });
      const before = base === undefined ? undefined : contentOf(base);
      const content = await buildSnapshot(before, contents, options, step, memory);
      if (!options.partial) parsed.clear();
      last = { text: printSnapshot(content), content };
      const patch = base === undefined ? undefined : patchOf(base, last.text);
      return { text: last.text, patch, record: content.record };
    },
    /** The projection of a snapshot at the instant `now`. */
    show({ text, shift, now, known }: ShowInput, { move }: JobContext) {
      try {
        const { record, parts } = contentOf(text);
        const weights = new Map(record.sources.map(({ name, weight = 1 }) => [name, weight]));
        const { topics, times, dated, ...shown } = project(parts, createDateShifter(shift, now), weights);
        const paged = (part: keyof ShownParts) => pagesOf(shown[part], known?.[part], move);
        const pages = { items: paged("items"), notices: paged("notices"), help: paged("help") };
        return { record, times: Float64Array.from(times), dated, topics: topicViews(topics, now), parts: pages };
      } catch (error) {
        if (error instanceof CorruptionError) return { damage: error.reason };
        throw error;
      }
    },
  };
}

/** A part as pages; without pages if the receiver already has this content. */
function pagesOf(entries: readonly object[], known: string | undefined, move: JobContext["move"]) {
  const count = Math.ceil(entries.length / PAGE);
  const pages = Array.from({ length: count }, (_, at) => encode(entries.slice(at * PAGE, (at + 1) * PAGE)));
  const hash = createHash("sha256");
  for (const page of pages) hash.update(page);
  const digest = hash.digest("hex");
  if (digest === known) return { digest };
  for (const { buffer } of pages) move(buffer);
  return { digest, pages };
}

/** The content of the sources parsed since the last complete snapshot, by id, with the hash of the bytes. */
type ParsedSources = Map<string, { readonly hash: string; readonly content: SourceContent }>;

const createParse =
  (parsed: ParsedSources) =>
  async ({ knownHash, ...body }: SourceBody & { knownHash: string | null }, { move }: JobContext) => {
    const hash = createHash("sha256").update(body.bytes).digest("hex");
    if (hash === knownHash) return { outcome: "unchanged" } as const;
    try {
      const content = await parseSource(body);
      parsed.set(body.source.id, { hash, content });
      const encoded = encode(content);
      move(encoded.buffer);
      return { outcome: "read", hash, content: encoded, counts: countsOf(content), faults: content.faults } as const;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return { outcome: "failed", failure: error.failure, message: error.message } as const;
    }
  };

const encode = (value: object) => new TextEncoder().encode(JSON.stringify(value));
const decode = (content: EncodedContent) => JSON.parse(new TextDecoder().decode(content)) as SourceContent;
