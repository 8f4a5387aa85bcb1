import type { Stream } from "fast-check";
import { createEvents, type Events } from "../../src/events/events.ts";
import type { NewEvent } from "../../src/events/event.ts";
import { openDay } from "../../src/events/log/day-log.ts";
import type { QueueLimits } from "../../src/events/log/event-log.ts";
import { fixedClock } from "../../src/runtime/clock.ts";
import { createIds } from "../../src/runtime/ids.ts";
import type { Logger } from "../../src/runtime/logger.ts";
import { seededRandom } from "../../src/runtime/random.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { temporaryFolder } from "../support/folder.ts";

export const NOON = Date.parse("2026-11-20T12:00:00.000Z");
export const HOUR = 3_600_000;
export const TODAY = "2026-11-20";

/** A logger that keeps what is logged. */
export function keepingLogger(): Logger & { readonly lines: { level: string; fields: object; message: string }[] } {
  const lines: { level: string; fields: object; message: string }[] = [];
  const at = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Events on a storage, at a clock that does not move, as one process would open them. */
export function openEvents(
  storage: Storage,
  { seed = "one", now = NOON, limits }: { seed?: string; now?: number; limits?: QueueLimits } = {},
): { events: Events; clock: ReturnType<typeof fixedClock>; logger: ReturnType<typeof keepingLogger> } {
  const clock = fixedClock(now);
  const logger = keepingLogger();
  const ids = createIds(clock, seededRandom(seed));
  return { events: createEvents({ storage, clock, ids, logger, limits }), clock, logger };
}

/** A question asked, as the service records it. */
export function question(user_id: string, text: string, lang = "en"): NewEvent {
  return { user_id, event_type: "question_asked", event_payload: { question: text, lang } };
}

/** Everything that a source gives. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of source) all.push(item);
  return all;
}

/** The stored event that an id addresses, or undefined. */
export async function eventAt(storage: Storage, event_id: string) {
  const [, day, batch, index] = /^(\d{4}-\d{2}-\d{2})-([1-9]\d*)-(\d+)$/.exec(event_id) ?? [];
  const stored = day === undefined ? undefined : await openDay(storage, day).get(Number(batch));
  const event = stored?.events[Number(index)];
  return event && { event_id, ...event };
}

/** The exported lines without their ids, sorted: what is stored, whatever the order. */
export async function contents(events: Events): Promise<string[]> {
  const lines = await collect(events.export());
  return lines.map((line) => JSON.stringify({ ...(JSON.parse(line) as object), event_id: undefined })).sort();
}

/** The next value of an endless arbitrary stream. */
export function next<T>(stream: Stream<T>): T {
  return stream.next().value as T;
}

/** A storage to test on. `connect` opens another connection to the same data. */
interface StorageKind {
  readonly name: string;
  readonly open: () => Promise<{ connect: () => Promise<Storage>; clean: () => Promise<void> }>;
}

/** The storages that the tests run on. */
export const STORAGES: readonly StorageKind[] = [
  {
    name: "memory",
    async open() {
      const storage = await openStorage("memory:");
      const shared: Storage = { ...storage, close: () => Promise.resolve() };
      return { connect: () => Promise.resolve(shared), clean: () => storage.close() };
    },
  },
  {
    name: "files",
    async open() {
      const folder = await temporaryFolder();
      return { connect: () => openStorage(`fs:${folder.path}/data`), clean: folder.remove };
    },
  },
];
