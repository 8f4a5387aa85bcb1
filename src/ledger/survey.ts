import { z } from "zod";
import { parseDocument, printKey, readEach } from "../storage/documents.ts";
import { CorruptionError } from "../storage/errors.ts";
import { encodeSegment } from "../storage/keys.ts";
import type { EncodedSegment, Key, Storage } from "../storage/storage.ts";
import { openStream } from "../storage/stream.ts";
import { streamItem } from "../storage/stream-keys.ts";
import { entry } from "./entry.ts";
import { ledgerKey, operationPointer } from "./ledger.ts";

/** What is wrong in a user's ledger. */
export interface LedgerFault {
  /** Number of the wrong entry; null where the fault is in none. */
  readonly entry: number | null;
  readonly message: string;
}

/** Something beside the ledger that only a charge leaves behind: it tells of an entry that is not there any more. */
export interface ChargeTrace {
  /** Whether a trace is under this key, which begins with `users` and a user. */
  isAt(key: readonly EncodedSegment[]): boolean;
  /**
   * The answer that was charged.
   *
   * @throws CorruptionError
   */
  messageOf(key: Key, text: string): number;
}

/** What one pass over a user's keys has found. */
export interface Surveyed {
  readonly segment: EncodedSegment;
  /** Largest number of an entry that is there. */
  top: number;
  /** Largest id of an answer that was charged, as its trace says. */
  charged: number;
  fault: LedgerFault | undefined;
}

const BATCH = 256;

/**
 * Goes once over all keys below `prefix` (all users, or one), in no order and in memory that grows with the number of
 * users alone: notes what is there of each user, and follows every operation of the index to its entry.
 *
 * @throws StorageError when the storage does not answer
 */
export async function surveyUsers(
  storage: Storage,
  prefix: Key,
  options: { trace?: ChargeTrace | undefined; onKeys?: ((keys: number) => void) | undefined } = {},
): Promise<Map<string, Surveyed>> {
  const { trace, onKeys } = options;
  const users = new Map<string, Surveyed>();
  const pointers: Found[] = [];
  const traces: Found[] = [];
  let keys = 0;

  async function readTraces(): Promise<void> {
    for (const { user, key, text } of await readAll(storage, traces.splice(0))) {
      if (text !== undefined) guard(user, () => (user.charged = Math.max(user.charged, trace!.messageOf(key, text))));
    }
  }

  for await (const key of storage.keys(prefix)) {
    keys += 1;
    if (keys % BATCH === 0) onKeys?.(keys);
    const [, segment, kind] = key;
    if (segment === undefined || kind === undefined) continue;
    const user = users.get(segment.text) ?? { segment, top: 0, charged: 0, fault: undefined };
    users.set(segment.text, user);
    if (kind.text === "ledger") user.top = Math.max(user.top, streamItem(key)?.version ?? 0);
    else if (kind.text === "operations") pointers.push({ user, key });
    else if (trace?.isAt(key) === true) traces.push({ user, key });
    if (pointers.length >= BATCH) await followPointers(storage, pointers.splice(0));
    if (traces.length >= BATCH) await readTraces();
  }
  await followPointers(storage, pointers);
  await readTraces();
  return users;
}

interface Found {
  readonly user: Surveyed;
  readonly key: readonly EncodedSegment[];
}

/** The values; one that cannot be read is a fault of its user. One that has gone meanwhile is undefined. */
async function readAll(storage: Storage, found: readonly Found[]): Promise<(Found & { text: string | undefined })[]> {
  const texts = await readEach(
    storage,
    found.map(({ key }) => key),
  );
  return found.map((item, index) => {
    const text = texts[index];
    if (text instanceof Error) note(item.user, { entry: null, message: text.message });
    return { ...item, text: text instanceof Error ? undefined : text };
  });
}

const indexed = z.object({ operation: z.object({ id: z.string() }) });

/** An operation that may come again must lead to the entry it made: an entry that it led to would be lost, otherwise. */
async function followPointers(storage: Storage, found: readonly Found[]): Promise<void> {
  const leads: { user: Surveyed; operation: string; key: readonly EncodedSegment[]; to: number; at: Key }[] = [];
  for (const { user, key, text } of await readAll(storage, found)) {
    guard(user, () => {
      const pointer = parseDocument(key, text, operationPointer);
      if (pointer === undefined) return;
      const at = openStream(storage, ledgerKey(user.segment), entry).keyOf(pointer.entry);
      leads.push({ user, key, operation: key.at(-1)!.text, to: pointer.entry, at });
    });
  }
  const texts = await readEach(
    storage,
    leads.map(({ at }) => at),
  );
  for (const [index, { user, key, operation, to, at }] of leads.entries()) {
    const text = texts[index];
    // An entry that cannot be read, or is no entry, is found when the ledger is walked.
    if (text instanceof Error) continue;
    if (text === undefined) {
      const message = `the entry is missing while ${printKey(key)} leads to it`;
      note(user, { entry: to, message: new CorruptionError(printKey(at), message).message });
    } else if (operationIn(text) !== undefined && encodeSegment(operationIn(text)!) !== operation) {
      const message = `it leads to entry ${to}, which another operation made`;
      note(user, { entry: to, message: new CorruptionError(printKey(key), message).message });
    }
  }
}

function operationIn(text: string): string | undefined {
  try {
    const id = indexed.safeParse(JSON.parse(text)).data?.operation.id;
    return id === "" ? undefined : id;
  } catch {
    return undefined;
  }
}

function guard(user: Surveyed, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error;
    note(user, { entry: null, message: error.message });
  }
}

function note(user: Surveyed, fault: LedgerFault): void {
  user.fault = firstFault(user.fault, fault);
}

/** The one of the lower entry; one that is in an entry before one that is in none. */
export function firstFault(one: LedgerFault | undefined, other: LedgerFault | undefined): LedgerFault | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (other.entry ?? Infinity) < (one.entry ?? Infinity) ? other : one;
}
