import { LIMITS } from "../contract/limits.ts";
import type { Ids } from "../runtime/ids.ts";
import type { Storage } from "../storage/storage.ts";
import { appendOwn, BATCH_LIMITS } from "./day-log.ts";
import { exportedEvent, type StoredEvent } from "./event.ts";
import { identityOf } from "./identity.ts";
import { catchUp, createKnownDays, learn, type KnownDay } from "./known-events.ts";

/** A line that was not taken, and why. */
export interface RejectedLine {
  /** Number in the input, from 1. */
  readonly line: number;
  readonly reason: string;
}

/** What a replay did: every line that is not blank is read, and then stored, skipped or rejected. */
export interface ReplayReport {
  read: number;
  stored: number;
  /** Events that the log had already, or that came earlier in the input. */
  skipped: number;
  rejected_total: number;
  /** The first {@link REJECTED_KEPT} of the rejected lines. */
  rejected: RejectedLine[];
}

export interface ReplayOptions {
  /** Tells what would be stored and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Called with the report so far after each chunk. */
  readonly onProgress?: ((report: Readonly<ReplayReport>) => void) | undefined;
}

/** How many rejected lines a report lists; the count goes on. */
export const REJECTED_KEPT = 100;

/** Lines are taken in chunks of so many events or characters, sorted by day within a chunk. */
const CHUNK = { events: 2048, characters: 4 * 1024 * 1024 } as const;

interface Line {
  readonly identity: string;
  readonly event: StoredEvent;
  readonly bytes: number;
}

/** Reads one line. Gives the event, or the reason why it is none. */
function readLine(text: string): Line | string {
  if (text.length > LIMITS.requestBody) return `longer than ${LIMITS.requestBody} characters`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `no JSON: ${(error as Error).message}`.slice(0, 200);
  }
  const parsed = exportedEvent.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    return `${issue.path.map(String).join(".") || "line"}: ${issue.message}`.slice(0, 200);
  }
  const { event_id, ...content } = parsed.data;
  const event = event_id === undefined ? content : { ...content, source_id: event_id };
  return { identity: identityOf(content, event_id ?? ""), event, bytes: text.length };
}

/** The unknown lines from `start` on that fit in one batch, and where the next begin. */
function nextBatch(known: KnownDay, lines: readonly Line[], start: number): { fresh: Line[]; next: number } {
  const fresh: Line[] = [];
  const taken = new Set<string>();
  let bytes = 0;
  let next = start;
  for (; next < lines.length; next++) {
    const line = lines[next]!;
    if (known.identities.has(line.identity) || taken.has(line.identity)) continue;
    bytes += line.bytes;
    if (fresh.length === BATCH_LIMITS.events || (fresh.length > 0 && bytes > BATCH_LIMITS.bytes)) break;
    fresh.push(line);
    taken.add(line.identity);
  }
  return { fresh, next };
}

/**
 * Stores lines of an export. Each event is stored exactly once, however often the lines are replayed: again, after an
 * interrupt, or by several processes at once. A day's log is appended to at the very version up to which its events
 * were compared, so nobody can have added the same event in between.
 *
 * Memory holds a chunk and the identities of the days at hand; input in the order of time is cheapest.
 *
 * @throws StorageError when the log cannot be read or written (a CorruptionError names the damaged batch); what was
 *   stored until then stays, and a second run goes on from there
 */
export async function replayEvents(
  { storage, ids }: { readonly storage: Storage; readonly ids: Ids },
  lines: AsyncIterable<string> | Iterable<string>,
  { dryRun = false, onProgress }: ReplayOptions = {},
): Promise<ReplayReport> {
  const report: ReplayReport = { read: 0, stored: 0, skipped: 0, rejected_total: 0, rejected: [] };
  const knownDay = createKnownDays(storage);

  async function storeDay(known: KnownDay, dayLines: readonly Line[]): Promise<void> {
    await catchUp(known);
    let stored = 0;
    for (let start = 0; start < dayLines.length;) {
      const { fresh, next } = nextBatch(known, dayLines, start);
      if (fresh.length === 0) break;
      if (dryRun) {
        for (const { identity } of fresh) known.identities.add(identity);
      } else {
        const own = { batch_id: ids.request(), events: fresh.map(({ event }) => event) };
        if (!(await appendOwn(known.log, known.version, own))) {
          await catchUp(known);
          continue;
        }
        learn(known, own);
      }
      stored += fresh.length;
      start = next;
    }
    report.stored += stored;
    report.skipped += dayLines.length - stored;
  }

  async function storeChunk(chunk: readonly Line[]): Promise<void> {
    const byDay = new Map<string, Line[]>();
    for (const line of chunk) {
      const day = line.event.created_at.slice(0, 10);
      const dayLines = byDay.get(day);
      if (dayLines === undefined) byDay.set(day, [line]);
      else dayLines.push(line);
    }
    for (const [day, dayLines] of byDay) await storeDay(knownDay(day), dayLines);
    onProgress?.(report);
  }

  let chunk: Line[] = [];
  let characters = 0;
  let number = 0;
  for await (const raw of lines) {
    number += 1;
    const text = number === 1 && raw.startsWith("\uFEFF") ? raw.slice(1) : raw;
    if (text.trim() === "") continue;
    report.read += 1;
    const line = readLine(text);
    if (typeof line === "string") {
      report.rejected_total += 1;
      if (report.rejected.length < REJECTED_KEPT) report.rejected.push({ line: number, reason: line });
      continue;
    }
    chunk.push(line);
    characters += line.bytes;
    if (chunk.length === CHUNK.events || characters >= CHUNK.characters) {
      await storeChunk(chunk);
      chunk = [];
      characters = 0;
    }
  }
  await storeChunk(chunk);
  return report;
}
