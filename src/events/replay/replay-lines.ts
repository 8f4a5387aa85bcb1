import { LIMITS } from "../../contract/field-bounds.ts";
import { printField, validate } from "../../contract/validate.ts";
import { findUnkept } from "../../runtime/unkept-json.ts";
import { exportedEvent, type StoredEvent } from "../event.ts";
import { BATCH_LIMITS } from "../log/day-log.ts";
import { dayOfEvent } from "../log/event-queue.ts";
import { contentOf, fingerprint, sourceIdOf, without } from "../log/event-fingerprint.ts";

/** A line of the input that is not text. */
export interface UnreadableLine {
  readonly unreadable: string;
}

export type Lines = AsyncIterable<string | UnreadableLine> | Iterable<string | UnreadableLine>;

/** A line that was rejected, and why. */
export interface RejectedLine {
  /** Number in the input, from 1. */
  readonly line: number;
  readonly reason: string;
}

/** The result of a replay: every line that is not blank is read, and then stored, skipped or rejected. */
export interface ReplayReport {
  read: number;
  stored: number;
  /** Events that the log had already, or that occurred earlier in the input. */
  skipped: number;
  rejected_total: number;
  /** The first {@link REJECTED_KEPT} of the rejected lines. */
  rejected: RejectedLine[];
}

export interface ReplayOptions {
  /** Events per chunk; smaller chunks cost more appends. */
  readonly chunk?: number | undefined;
  /** The report of the lines before, when this continues an earlier run. */
  readonly before?:
    | {
        readonly line: number;
        readonly report: Readonly<ReplayReport>;
        /** The lines that run read: equal ones are told apart by their occurrence. */
        readonly lines: Lines;
      }
    | undefined;
  /** Called with the report so far after each chunk: every line that was read until then is settled. */
  readonly onProgress?: ((report: Readonly<ReplayReport>) => void) | undefined;
  /** Called with each rejected line, however many; `text` is absent where the line is not text. */
  readonly onRejected?: ((rejected: RejectedLine & { readonly text?: string }) => Promise<void>) | undefined;
}

/** How many rejected lines a report lists; all of them are counted. */
const REJECTED_KEPT = 100;

/** Longest reason, characters: a line of unknown keys would make one as long as itself. */
const MOST_REASON = 500;

/**
 * Lines are processed in chunks of so many events or characters, sorted by day within a chunk. A chunk of few days is
 * smaller: it fills batches all the same, and what dies young costs no memory.
 */
const CHUNK = { events: 2048, ofOneDay: BATCH_LIMITS.events, characters: 4 * 1024 * 1024 } as const;

/** An event of an export. */
export interface ReplayedEvent {
  /** The same for the same event, whatever the order of its fields. */
  readonly fingerprint: string;
  /** Its `source_id` is the id in the export, if there was one. */
  readonly event: StoredEvent;
  /** Its line and the number of the line in the input. */
  readonly text: string;
  readonly line: number;
}

/** Parses one line. Returns the event, or the reason for rejecting it. */
function readLine(text: string, line: number): ReplayedEvent | string {
  if (text.length > LIMITS.requestBody) return `longer than ${LIMITS.requestBody} characters`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `not JSON: ${(error as Error).message}`.slice(0, 200);
  }
  const checked = validate(exportedEvent, value);
  const errors = [...findUnkept(text), ...(checked.valid ? [] : checked.errors)];
  if (!checked.valid || errors.length > 0) {
    return errors
      .map((error) => printField(error, "line"))
      .join("; ")
      .slice(0, MOST_REASON);
  }
  const { event_id } = checked.data;
  const event: StoredEvent = event_id === undefined ? checked.data : without(checked.data, "event_id");
  const content = contentOf(event);
  if (event_id === undefined) return { fingerprint: fingerprint(content, ""), event, text, line };
  const source_id = sourceIdOf(event_id, content);
  event.source_id = source_id;
  return { fingerprint: fingerprint(content, source_id), event, text, line };
}

/** The result of a chunk: each of its events was stored, skipped or rejected. */
export interface StoredChunk {
  readonly stored: number;
  readonly skipped: number;
  readonly rejected?: readonly { readonly event: ReplayedEvent; readonly reason: string }[];
}

/** What a replay does with its events. */
export interface ReplaySink {
  /** Stores a chunk; an error that it throws ends the replay. */
  readonly store: (chunk: readonly ReplayedEvent[]) => Promise<StoredChunk>;
  /** Counts an event that an earlier run stored. */
  readonly count: (event: ReplayedEvent) => void;
}

/** The report of a replay that has read nothing. */
export function emptyReport(): ReplayReport {
  return { read: 0, stored: 0, skipped: 0, rejected_total: 0, rejected: [] };
}

/** Reads lines of an export and passes their events on in chunks, one after the other, in bounded memory. */
export async function replayLines(
  lines: Lines,
  { store, count }: ReplaySink,
  { chunk: most = CHUNK.events, before, onProgress, onRejected }: ReplayOptions,
): Promise<ReplayReport> {
  const report: ReplayReport = before ? { ...before.report, rejected: [...before.report.rejected] } : emptyReport();

  let chunk: ReplayedEvent[] = [];
  /** Lines rejected since the last chunk: reported with it, so that a failure in between leaves no partial report. */
  let rejects: (RejectedLine & { readonly text?: string })[] = [];
  const days = new Set<string>();
  let characters = 0;
  let number = 0;
  for await (const raw of before?.lines ?? []) {
    number += 1;
    const event = typeof raw === "string" ? readLine(withoutMark(raw, number), number) : undefined;
    if (typeof event === "object") count(event);
  }
  number = before?.line ?? 0;

  async function finishChunk(): Promise<void> {
    const { stored, skipped, rejected = [] } = await store(chunk);
    report.stored += stored;
    report.skipped += skipped;
    report.read += chunk.length + rejects.length;
    const refused = rejected.map(({ event: { line, text }, reason }) => ({ line, reason, text }));
    for (const one of [...rejects, ...refused].sort((a, b) => a.line - b.line)) {
      report.rejected_total += 1;
      if (report.rejected.length < REJECTED_KEPT) report.rejected.push({ line: one.line, reason: one.reason });
      await onRejected?.(one);
    }
    chunk = [];
    rejects = [];
    days.clear();
    characters = 0;
    onProgress?.(report);
  }

  for await (const raw of lines) {
    number += 1;
    if (typeof raw === "string") {
      const text = withoutMark(raw, number);
      if (text.trim() === "") continue;
      const event = readLine(text, number);
      if (typeof event === "string") rejects.push({ line: number, reason: event, text });
      else {
        chunk.push(event);
        days.add(dayOfEvent(event));
      }
      characters += text.length;
    } else {
      rejects.push({ line: number, reason: raw.unreadable });
    }
    const enough = Math.min(most, CHUNK.ofOneDay * Math.max(1, days.size));
    if (chunk.length + rejects.length >= enough || characters >= CHUNK.characters) await finishChunk();
  }
  await finishChunk();
  return report;
}

/** The line without the byte order mark of its file. */
function withoutMark(line: string, number: number): string {
  return number === 1 && line.startsWith("\uFEFF") ? line.slice(1) : line;
}
