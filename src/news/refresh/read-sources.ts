import { hash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { JobError } from "../../compute/job-runner.ts";
import type { EncodedContent } from "../jobs/news-jobs.ts";
import type { SnapshotDeps } from "../snapshot/latest-snapshot.ts";
import { shiftAt } from "../snapshot/date-shift.ts";
import type { SnapshotRecord, SourceState } from "../snapshot/snapshot-document.ts";
import { NO_VALIDATORS, printLocation, readSource, type ReaderOptions, type Reading } from "../sources/read-source.ts";
import { remedyOf, SourceError } from "../sources/source-error.ts";
import { NO_FAILURE, type SourcePacing } from "../sources/source-pacing.ts";
import { isLocal, settingsOf, type Source } from "../sources/sources.ts";
import { DAY_MS } from "../../runtime/clock.ts";
import { createSemaphore } from "../../runtime/semaphore.ts";
import type { ReadSource } from "./build-snapshot.ts";

/** Sources read at once, besides slow ones. */
export const CONCURRENCY = 16;
const SLOW_MS = 250; // A source whose content is not complete after this time is slow, ms.
const MAX_SLOW = 160; // Maximum number of slow sources that do not block others.
const MAX_BODIES = 24; // Maximum number of large bodies held in memory at once.
const EARLY_MS = 3000; // After this time, new content may be published before sources that wait for slow ones, ms.
/** Longest time to decode and parse one source, ms. */
export const PARSE_MS = 5000;

export interface SourceReaderDeps extends Pick<SnapshotDeps, "runner" | "clock" | "logger" | "shift"> {
  readonly reader: ReaderOptions;
  readonly pacing: SourcePacing;
  readonly slowMs?: number | undefined; // A source is slow after this time, ms. Default: 250.
}

export type SourceReader = ReturnType<typeof createSourceReader>;
type Outcome = Omit<ReadSource<EncodedContent>, "source">;

/** Reads sources and records the outcome of each; a failure is recorded and logged, never thrown.
 * @param before states in the previous snapshot, whose content is kept if a source has nothing new */
export function createSourceReader(before: readonly SourceState[], deps: SourceReaderDeps) {
  const { slowMs = SLOW_MS } = deps;
  const readOne = createReadOne(before, deps);
  const read = new Map<string, Outcome>();
  const running = new Map<Promise<unknown>, string>();
  const progress = { read: 0, all: 0 };
  const slowOnes = new Set<AbortSignal>(); // Aborted once the content is complete.
  let resolveFirst: () => void = () => undefined;
  const firstContent = new Promise<void>((resolve) => (resolveFirst = resolve));

  return {
    /** Number of sources with new content while a slow source is pending; else 0. */
    partial(): number {
      const isWaiting = Array.from(slowOnes).some(({ aborted }) => !aborted);
      return isWaiting ? Array.from(read.values()).filter(({ content }) => content).length : 0;
    },
    /** Number of sources read or skipped so far, and the names of those being read, oldest first. */
    reading: () => ({ ...progress, waiting: Array.from(running.values()) }),
    /** Results so far; a source that was not read has its previous state. */
    results: (sources: readonly Source[]) =>
      sources.map((source) => {
        return { source, state: stateBefore(source, before), content: undefined, ...read.get(source.id) };
      }),
    /** Reads the sources. @returns `some` resolves after a few seconds, `most` once only slow sources are left, both only
     * after the first new content (or the end); `all` resolves once every source is read */
    start(sources: readonly Source[]): Readonly<Record<"some" | "most" | "all", Promise<unknown>>> {
      const queue = sources.values();
      progress.all = sources.length;
      let slow = 0;
      const next = async (): Promise<void> => {
        for (const source of queue) {
          const fetched = new AbortController();
          const task = readOne(source, fetched)
            .then((outcome) => outcome && read.set(source.id, outcome))
            .finally(() => {
              running.delete(task);
              progress.read += 1;
              fetched.abort();
              if (read.get(source.id)?.content !== undefined) resolveFirst();
            });
          running.set(task, source.name);
          const isSlow =
            !isLocal(source) && (await wait(slowMs, true, { signal: fetched.signal, ref: false }).catch(() => false));
          if (isSlow) slowOnes.add(fetched.signal);
          if (!isSlow || slow >= MAX_SLOW) await task;
          else {
            slow += 1;
            void task.catch(() => undefined).finally(() => (slow -= 1));
          }
        }
      };
      const started = Promise.all(Array.from({ length: CONCURRENCY }, next));
      const all = started.then(() => Promise.all(running.keys()));
      all.catch(() => undefined);
      const most = started.then(() => Promise.race([firstContent, all]));
      const early = wait(EARLY_MS, undefined, { ref: false }).then(() => firstContent);
      return { some: Promise.race([early, most]), most, all };
    },
  };
}

/** Returns a function that reads a source unless it is paused, and aborts its second argument when the content arrives. */
function createReadOne(before: readonly SourceState[], deps: SourceReaderDeps) {
  const { runner, reader, pacing, clock, logger, shift } = deps;
  const bodies = createSemaphore(MAX_BODIES);

  async function parse(source: Source, { bytes, contentType, url }: Reading, knownHash: string | null) {
    const now = clock.now();
    const day = isLocal(source) ? now - shiftAt(shift, now) : now;
    const input = { source, bytes, contentType, url, now, day, knownHash };
    const options = { deadline_ms: PARSE_MS, signal: reader.signal };
    const parsed = await runner.run("parse", input, options).catch((error: unknown) => {
      if (!(error instanceof JobError)) throw error;
      if (error.failure !== "failed") throw new SourceError("too_costly", error.message, error);
      logger.error({ source: source.id, err: error.cause }, "a news source could not be parsed");
      throw new SourceError("too_costly", "the content could not be parsed", error);
    });
    if (parsed.outcome === "unchanged") return undefined;
    if (parsed.outcome === "failed") throw new SourceError(parsed.failure, parsed.message);
    const { refused, excess } = parsed.counts;
    const left = [refused > 0 && `${refused} not valid`, ...parsed.faults];
    const wrong = left.filter(Boolean).join("; ");
    if (wrong !== "") logger.warn({ source: source.id, refused, excess }, `the news source ${source.id}: ${wrong}`);
    return parsed;
  }

  return async function readOne(source: Source, fetched: AbortController): Promise<Outcome | undefined> {
    const previous = stateBefore(source, before);
    if (pacing.isPaused(source.location, previous)) return undefined;
    const last_ok_ms = clock.now();
    let status: number | undefined;
    const body = { isHeld: false };
    const bodyTurn = async (): Promise<void> => {
      if (!body.isHeld) await bodies.begin();
      body.isHeld = true;
    };
    try {
      // The value of the series depends on the day, so it is read each time.
      const isConditional = source.kind !== "fear_greed";
      const reading = await readSource(source, isConditional ? previous : NO_VALIDATORS, { ...reader, bodyTurn });
      fetched.abort();
      status = reading === undefined ? 304 : reading.status;
      const parsed = reading && (await parse(source, reading, isConditional ? previous.hash : null));
      if (source.kind === "help" && parsed?.counts.kept === 0 && previous.items)
        throw new SourceError("empty", "it lists no article");
      const { hash = previous.hash, content, counts: last_read = previous.last_read } = parsed ?? {};
      const good = { ...NO_FAILURE, ok: true, last_ok_ms, last_error: null };
      const unchanged = parsed === undefined;
      return { state: { ...previous, ...good, ...reading?.validators, hash, status, unchanged, last_read }, content };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      const { failure, message: reason } = error;
      const ok = failure === "empty"; // A feed may be quiet.
      const kept = (previous.items ?? 0) > 0 ? "; its last good content stays" : "";
      const said = `the news source ${source.id} ${ok ? "is empty" : "failed"}${kept}`;
      const fields = { source: source.id, url: previous.url, failure, reason, ...(ok && { remedy: remedyOf(error) }) };
      logger[ok && source.kind === "news" ? "info" : "warn"](fields, said);
      const changed = ok ? { ...NO_FAILURE, failure, last_ok_ms } : pacing.failed(source.location, previous, error);
      return { state: { ...previous, status, ...changed, ok, last_error: reason }, content: undefined };
    } finally {
      if (body.isHeld) bodies.end();
    }
  };
}

/** The states of a snapshot's sources at the instant `now`, ms. How dates are read and which items are too old depends on
 * the clock. So a source is read anew, even if it has not changed, where the clock was ahead of the present one, and where
 * the last read is more than a day ago, by a clock that may have been behind. */
export function statesAt({ sources, published_ms }: SnapshotRecord, now: number): SourceState[] {
  return sources.map((state) => {
    const isCurrent = published_ms <= now && now - (state.last_ok_ms ?? now) <= DAY_MS;
    return isCurrent ? state : { ...state, ...NO_VALIDATORS, hash: null };
  });
}

/** Whether local listings are other than a snapshot was made of; at a daemon's start also local feeds and the configuration,
 * and whether a file cannot be read. No server is asked. */
export async function hasChanged(states: SourceState[], sources: Source[], reader: ReaderOptions, isStart: boolean) {
  if (isStart && states.length !== sources.length) return true;
  for (const source of sources) {
    const state = stateBefore(source, states);
    const isSame = states.some((known) => known === state && known.weight === source.weight);
    if (isStart && !isSame) return true;
    if (!isLocal(source) || (source.kind === "news" && !isStart)) continue;
    const reading = await readSource(source, NO_VALIDATORS, reader).catch(() => undefined); // A refresh reports the error.
    if (reading === undefined ? state.ok || isStart : hash("sha256", reading.bytes) !== state.hash) return true;
  }
  return false;
}

function stateBefore(source: Source, states: readonly SourceState[]): Omit<SourceState, "items"> & { items?: number } {
  const { id, kind, name } = source;
  const url = printLocation(source.location);
  const last = states.find((state) => state.id === id && state.kind === kind && state.url === url);
  // After a change of name or settings the content is read again, since its items depend on both.
  if (last?.name === name && last.settings === settingsOf(source)) return last;
  return { ok: false, last_ok_ms: null, last_error: null, ...last, id, kind, name, url, ...NO_VALIDATORS, hash: null };
}
