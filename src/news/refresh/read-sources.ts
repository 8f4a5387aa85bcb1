import { JobError, type JobRunner } from "../../compute/job-runner.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { EncodedContent, NewsJobs } from "../jobs/news-jobs.ts";
import { type DateShift, shiftAt } from "../snapshot/date-shift.ts";
import type { SourceState } from "../snapshot/snapshot-document.ts";
import {
  isRemote,
  NO_VALIDATORS,
  printLocation,
  type ReaderOptions,
  type Reading,
  readSource,
} from "../sources/read-source.ts";
import { SourceError } from "../sources/source-error.ts";
import type { SourcePacing } from "../sources/source-pacing.ts";
import { isLocal, type Source } from "../sources/sources.ts";
import type { ReadSource } from "./build-snapshot.ts";

/** Sources read at once. */
export const CONCURRENCY = 8;
/** Longest time to decode and parse one source, ms. */
export const PARSE_MS = 5000;

export interface SourceReaderDeps {
  readonly runner: JobRunner<NewsJobs>;
  readonly reader: ReaderOptions;
  readonly pacing: SourcePacing;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly shift: DateShift | undefined;
}

const FAILED = "a news source failed; its last good content stays";

/** Reads sources and records the outcome of each; a failure is recorded and logged, never thrown.
 * @param isWanted whether a source is read; one that is not has its former state
 * @param before states of the snapshot whose content is kept where a source has nothing new */
export async function readSources(
  sources: readonly Source[],
  isWanted: (source: Source) => boolean,
  before: readonly SourceState[],
  deps: SourceReaderDeps,
): Promise<ReadSource<EncodedContent>[]> {
  const read = sources.map((source) => ({ source, state: stateBefore(source, before), content: undefined }));
  const results: ReadSource<EncodedContent>[] = [...read];
  const queue = read.entries();
  const next = async (): Promise<void> => {
    for (const [at, unread] of queue) if (isWanted(unread.source)) results[at] = await readOne(unread, deps);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, next));
  return results;
}

async function readOne(
  unread: ReadSource<EncodedContent>,
  deps: SourceReaderDeps,
): Promise<ReadSource<EncodedContent>> {
  const { reader, pacing, clock, logger } = deps;
  const { source, state: previous } = unread;
  const { location, allowPrivate = false } = source;
  if (pacing.isPaused(location)) return unread;
  const last_ok_ms = clock.now();
  try {
    // The value of the series depends on the day, so it is read each time.
    const mayStay = source.kind !== "fear_greed";
    const reading = await readSource(location, mayStay ? previous : NO_VALIDATORS, { ...reader, allowPrivate });
    pacing.succeeded(location);
    const parsed = reading && (await parse(deps, source, reading, mayStay ? previous.hash : null));
    const { hash = previous.hash, content } = parsed ?? {};
    const state = { ...previous, ok: true, last_ok_ms, last_error: null, ...reading?.validators, hash };
    return { source, state, content };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    if (isRemote(location)) pacing.failed(location, error);
    const { failure, message: reason } = error;
    logger.warn({ source: source.id, url: previous.url, failure, reason }, FAILED);
    return { source, state: { ...previous, ok: false, last_error: reason }, content: undefined };
  }
}

/** The state of a source in an earlier snapshot, or that of a new one. */
function stateBefore(source: Source, states: readonly SourceState[]): Omit<SourceState, "items"> {
  const { id, kind, name } = source;
  const url = printLocation(source.location);
  const last = states.find((state) => state.id === id && state.kind === kind && state.url === url);
  // After a rename the content is read again, since its items carry the name.
  if (last?.name === name) return last;
  const unread = { ...NO_VALIDATORS, hash: null };
  if (last !== undefined) return { ...last, name, ...unread };
  return { id, kind, name, url, ok: false, last_ok_ms: null, last_error: null, ...unread };
}

/** @returns undefined when the content has the known hash */
async function parse(
  { runner, reader, clock, logger, shift }: SourceReaderDeps,
  source: Source,
  { bytes, contentType, url }: Reading,
  knownHash: string | null,
) {
  const now = clock.now();
  const day = isLocal(source) ? now - shiftAt(shift, now) : now;
  const { buffer, byteLength } = bytes;
  const move = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
  const input = { source, bytes, contentType, url, now, day, knownHash };
  const options = { deadline_ms: PARSE_MS, move, ...(reader.signal && { signal: reader.signal }) };
  const parsed = await runner.run("parse", input, options).catch((error: unknown) => {
    if (!(error instanceof JobError)) throw error;
    if (error.failure !== "failed") throw new SourceError("too_costly", error.message, error);
    logger.error({ source: source.id, err: error.cause }, "a news source could not be parsed");
    throw new SourceError("too_costly", "the content could not be parsed", error);
  });
  if (parsed.outcome === "unchanged") return undefined;
  if (parsed.outcome === "failed") throw new SourceError(parsed.failure, parsed.message);
  if (parsed.refused > 0) {
    logger.warn({ source: source.id, refused: parsed.refused }, "entries of a listing are not valid and left out");
  }
  return parsed;
}
