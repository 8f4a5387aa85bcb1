import { LIMITS } from "../../contract/field-bounds.ts";
import { printField, validate } from "../../contract/validation/validate-value.ts";
import { findLossyValues } from "../../runtime/json/lossy-json.ts";
import { parseOrError } from "../../runtime/json/parse-json.ts";
import { exportedEvent, type StoredEvent } from "../event.ts";
import { contentOf, fingerprint, sourceIdOf } from "../log/event-fingerprint.ts";

/** A line of the input, or why it is not text. */
export type Line = string | { readonly unreadable: string };
/** Lines in order. They come in groups (chunks of a file): awaiting each line would cost as much as parsing it. */
export type Lines = AsyncIterable<Iterable<Line>> | Iterable<Iterable<Line>>;

/** A line that is not stored, by its number in the input, from 1. */
export type RejectedLine = { readonly line: number; readonly reason: string };

/** The result of a replay: every nonblank line is read, and then stored, skipped (it was in the log, or earlier in the
 * input) or rejected. The first {@link REJECTED_KEPT} rejected lines are listed. */
export type ReplayReport = ReturnType<typeof emptyReport>;
export const emptyReport = () => ({
  read: 0,
  stored: 0,
  skipped: 0,
  rejected_total: 0,
  rejected: [] as RejectedLine[],
});

export interface ReplayOptions {
  readonly dryRun?: boolean | undefined; // Reports what would be stored and writes nothing.
  readonly chunk?: number | undefined; // Events per chunk; smaller chunks cost more appends.
  readonly onChunk?: ((report: ReplayReport) => void) | undefined; // Called with the report so far after each chunk.
  /** Called with each rejected line, however many; `text` is absent where the line is not text. */
  readonly onRejected?: ((rejected: RejectedLine & { readonly text?: string }) => Promise<void>) | undefined;
}

const REJECTED_KEPT = 100; // Rejected lines that a report lists; all of them are counted.

const CHUNK = { events: 2048, characters: 4 * 1024 * 1024 } as const; // Maximum events or characters of a chunk.

/** The result of a chunk: each of its events was stored, rejected, or else skipped. */
export interface StoredChunk {
  readonly stored: number;
  readonly rejected?: readonly { readonly event: ReplayedEvent; readonly reason: string }[];
}

/** Stores the events of a chunk. An error that it throws ends the replay. */
type Store = (chunk: readonly ReplayedEvent[]) => Promise<StoredChunk>;

function emptyChunk() {
  const rejects: (RejectedLine & { readonly text?: string })[] = [];
  return { events: [] as ReplayedEvent[], rejects, characters: 0 };
}
type Chunk = ReturnType<typeof emptyChunk>;

async function* chunksOf(lines: Lines, maxEvents: number): AsyncGenerator<Chunk> {
  let chunk = emptyChunk();
  let number = 0;
  for await (const group of lines) {
    for (const raw of group) {
      number += 1;
      addLine(chunk, raw, number);
      if (chunk.events.length + chunk.rejects.length < maxEvents && chunk.characters < CHUNK.characters) continue;
      yield chunk;
      chunk = emptyChunk();
    }
  }
  yield chunk;
}

function addLine(chunk: Chunk, raw: Line, line: number): void {
  if (typeof raw !== "string") return void chunk.rejects.push({ line, reason: raw.unreadable });
  const text = line === 1 && raw.startsWith("\uFEFF") ? raw.slice(1) : raw; // Without the byte order mark.
  if (text.trim() === "") return;
  const event = readLine(text, line);
  chunk.characters += text.length;
  if (typeof event === "string") chunk.rejects.push({ line, reason: event, text });
  else chunk.events.push(event);
}

/** Reads lines of an export and passes events on in chunks; reads the next chunk while one is being stored. */
export async function replayLines(lines: Lines, store: Store, options: ReplayOptions) {
  const { chunk: maxEvents = CHUNK.events, onChunk, onRejected } = options;
  const report = emptyReport();

  async function settle({ events, rejects }: Chunk): Promise<void> {
    const { stored, rejected = [] } = await store(events);
    report.stored += stored;
    report.skipped += events.length - stored - rejected.length;
    report.read += events.length + rejects.length;
    const refused = rejected.map(({ event: { line, text }, reason }) => ({ line, reason, text }));
    for (const one of [...rejects, ...refused].sort((a, b) => a.line - b.line)) {
      report.rejected_total += 1;
      if (report.rejected.length < REJECTED_KEPT) report.rejected.push({ line: one.line, reason: one.reason });
      await onRejected?.(one);
    }
  }

  let settled = Promise.resolve();
  try {
    for await (const chunk of chunksOf(lines, maxEvents)) {
      await settled;
      settled = settle(chunk).then(() => onChunk?.(report));
      settled.catch(() => undefined); // Its failure ends the replay when it is awaited.
    }
  } finally {
    await settled;
  }
  return report;
}

/** An event of an export as JSON text: small to keep, while the objects of parsing become garbage early. */
export type ReplayedEvent = Readonly<Exclude<ReturnType<typeof readLine>, string>>;

const MAX_REASON_LENGTH = 500; // Longest reason, characters: a line of unknown keys would make one as long as itself.

/** Parses one line. Returns the event, or the reason for rejecting it. */
export function readLine(text: string, line: number) {
  if (text.length > LIMITS.requestBody) return `longer than ${LIMITS.requestBody} characters`;
  const value = parseOrError(text);
  if (value instanceof Error) return `not JSON: ${value.message}`.slice(0, 200);
  const checked = validate(exportedEvent, value);
  const errors = [...findLossyValues(text), ...(checked.valid ? [] : checked.errors)];
  if (!checked.valid || errors.length > 0) {
    const reasons = errors.map((error) => printField(error, "line"));
    return reasons.join("; ").slice(0, MAX_REASON_LENGTH);
  }
  const { event_id, ...event } = checked.data;
  const content = contentOf(event);
  const source_id = event_id === undefined ? undefined : sourceIdOf(event_id, content);
  return {
    fingerprint: fingerprint(content, source_id ?? ""), // The same for the same event, whatever the order of its fields.
    day: event.created_at.slice(0, 10), // The UTC day in whose log it belongs.
    user: event.user_id,
    source_id, // The id in the export, if there was one.
    json: JSON.stringify({ ...event, source_id } satisfies StoredEvent),
    text, // Its line, and that line's number in the input.
    line,
  };
}
