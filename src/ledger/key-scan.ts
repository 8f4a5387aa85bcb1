import { z } from "zod";
import { parseDocument, printKey, readEach } from "../storage/documents.ts";
import { CorruptionError } from "../storage/storage-errors.ts";
import { encodeSegment } from "../storage/keys.ts";
import type { EncodedSegment, Key, Storage } from "../storage/storage.ts";
import { streamItem } from "../storage/stream-keys.ts";
import { entryKey, operationPointer } from "./ledger-keys.ts";

/** Damage of a user's ledger. */
export interface LedgerDamage {
  /** Number of the wrong entry; null where the damage is in none. */
  readonly entry: number | null;
  readonly message: string;
}

/** A record beside the ledger that exists only after a charge: it reveals an entry that was lost. */
export interface ChargeTrace {
  /** Whether this key, which begins with `users` and a user, holds a trace. */
  isAt(key: readonly EncodedSegment[]): boolean;
  /**
   * The answer that was charged.
   *
   * @throws CorruptionError
   */
  messageOf(key: Key, text: string): number;
}

/** The result of one pass over a user's keys. */
export interface ScannedUser {
  readonly segment: EncodedSegment;
  /** Largest number of a stored entry. */
  top: number;
  /** Traces of delivered answers; one that the storage listed twice counts twice. */
  traces: number;
  damage: LedgerDamage | undefined;
}

/** The result of one pass over the keys of all users. */
export interface KeyScan {
  /** By segment. */
  readonly users: ReadonlyMap<string, ScannedUser>;
  /** Undefined when there are more traces than `room`: see {@link scanDeliveries}. */
  readonly deliveries: Deliveries | undefined;
}

const BATCH = 256;

/**
 * Reads all keys below `prefix` (all users, or one) once, in no order: records what each user has, and follows every
 * operation of the index to its entry. Memory grows with the number of users, and with the delivered answers up to
 * `room`.
 *
 * @param options.room most traces that are read and kept
 * @throws StorageError when the storage does not answer
 */
export async function scanUsers(
  storage: Storage,
  prefix: Key,
  options: { trace?: ChargeTrace | undefined; room: number; onKeys?: (keys: number) => void },
): Promise<KeyScan> {
  const { trace, room, onKeys } = options;
  const users = new Map<string, ScannedUser>();
  const pointers: Found[] = [];
  let reader: TraceReader | undefined = createTraceReader(storage, trace);
  let keys = 0;
  let traces = 0;

  for await (const key of storage.keys(prefix)) {
    keys += 1;
    if (keys % BATCH === 0) onKeys?.(keys);
    const [, segment, kind] = key;
    if (segment === undefined || kind === undefined) continue;
    const user = users.get(segment.text) ?? { segment, top: 0, traces: 0, damage: undefined };
    users.set(segment.text, user);
    if (kind.text === "ledger") user.top = Math.max(user.top, streamItem(key)?.version ?? 0);
    else if (kind.text === "operations") pointers.push({ user, key });
    else if (trace?.isAt(key) === true) {
      user.traces += 1;
      traces += 1;
      if (traces > room) reader = undefined;
      await reader?.take({ user, key });
    }
    if (pointers.length >= BATCH) await followPointers(storage, pointers.splice(0));
  }
  await followPointers(storage, pointers);
  return { users, deliveries: await reader?.finish() };
}

/**
 * Reads the keys once more, for the answers delivered to some users.
 *
 * @throws StorageError when the storage does not answer
 */
export async function scanDeliveries(
  storage: Storage,
  prefix: Key,
  options: { users: readonly ScannedUser[]; trace: ChargeTrace | undefined; onKeys: () => void },
): Promise<Deliveries> {
  const { trace, onKeys } = options;
  const users = new Map(options.users.map((user) => [user.segment.text, user]));
  const reader = createTraceReader(storage, trace);
  let keys = 0;
  for await (const key of storage.keys(prefix)) {
    keys += 1;
    if (keys % BATCH === 0) onKeys();
    const user = users.get(key[1]?.text ?? "");
    if (user !== undefined && trace?.isAt(key) === true) await reader.take({ user, key });
  }
  return reader.finish();
}

/** Ids of delivered answers, by user: 12 bytes each, however few of them a user has. */
export class Deliveries {
  #ids = new Float64Array(1024);
  /** Index of the same user's previous id; -1 for none. */
  #before = new Int32Array(1024);
  #count = 0;
  readonly #last = new Map<ScannedUser, number>();

  add(user: ScannedUser, id: number): void {
    if (this.#count === this.#ids.length) this.#grow();
    this.#ids[this.#count] = id;
    this.#before[this.#count] = this.#last.get(user) ?? -1;
    this.#last.set(user, this.#count);
    this.#count += 1;
  }

  /** A user's ids, ascending, each once. */
  of(user: ScannedUser): Float64Array {
    const last = this.#last.get(user) ?? -1;
    let count = 0;
    for (let at = last; at >= 0; at = this.#before[at]!) count += 1;
    const ids = new Float64Array(count);
    for (let at = last; at >= 0; at = this.#before[at]!) ids[--count] = this.#ids[at]!;
    ids.sort();
    let kept = 0;
    for (const id of ids) if (kept === 0 || ids[kept - 1] !== id) ids[kept++] = id;
    return ids.subarray(0, kept);
  }

  #grow(): void {
    const [ids, before] = [this.#ids, this.#before];
    this.#ids = new Float64Array(2 * ids.length);
    this.#ids.set(ids);
    this.#before = new Int32Array(2 * before.length);
    this.#before.set(before);
  }
}

interface TraceReader {
  take(found: Found): Promise<void>;
  finish(): Promise<Deliveries>;
}

/** Reads traces in batches. */
function createTraceReader(storage: Storage, trace: ChargeTrace | undefined): TraceReader {
  const deliveries = new Deliveries();
  const waiting: Found[] = [];

  async function read(): Promise<void> {
    for (const { user, key, text } of await readAll(storage, waiting.splice(0))) {
      if (text !== undefined)
        guard(user, () => {
          deliveries.add(user, trace!.messageOf(key, text));
        });
    }
  }

  return {
    async take(found) {
      waiting.push(found);
      if (waiting.length >= BATCH) await read();
    },
    async finish() {
      await read();
      return deliveries;
    },
  };
}

interface Found {
  readonly user: ScannedUser;
  readonly key: readonly EncodedSegment[];
}

/** The values; one that cannot be read is damage of its user, one that was removed meanwhile is undefined. */
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

/** An indexed operation must lead to the entry that it made; where it leads to none, that entry was lost. */
async function followPointers(storage: Storage, found: readonly Found[]): Promise<void> {
  const targets: { user: ScannedUser; operation: string; key: readonly EncodedSegment[]; to: number; at: Key }[] = [];
  for (const { user, key, text } of await readAll(storage, found)) {
    guard(user, () => {
      const pointer = parseDocument(key, text, operationPointer);
      if (pointer === undefined) return;
      const at = entryKey(user.segment, pointer.entry);
      targets.push({ user, key, operation: key.at(-1)!.text, to: pointer.entry, at });
    });
  }
  const texts = await readEach(
    storage,
    targets.map(({ at }) => at),
  );
  for (const [index, { user, key, operation, to, at }] of targets.entries()) {
    const text = texts[index];
    // An entry that cannot be read or parsed is found when the ledger is walked.
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

function guard(user: ScannedUser, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error;
    note(user, { entry: null, message: error.message });
  }
}

function note(user: ScannedUser, damage: LedgerDamage): void {
  user.damage = firstDamage(user.damage, damage);
}

/** The damage of the lower entry; damage of no entry comes last. */
export function firstDamage(one: LedgerDamage | undefined, other: LedgerDamage | undefined): LedgerDamage | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (other.entry ?? Infinity) < (one.entry ?? Infinity) ? other : one;
}
