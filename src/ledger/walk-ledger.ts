import { WorkerRunner, workerFile } from "../compute/worker-runner.ts";
import { readAhead } from "../runtime/batches.ts";
import { silentLogger } from "../runtime/logger.ts";
import { checkDocument, readEach } from "../storage/documents.ts";
import type { EncodedSegment, Storage } from "../storage/storage.ts";
import { Stream } from "../storage/stream.ts";
import { checkPage, type CheckedPage, type RepeatableEntry, type StoredPage } from "./chain.ts";
import { entry, type Entry, ledgerKey, operationKey, operationPointer } from "./entry.ts";
import { damageAt, type LedgerDamage, type LedgerHooks, type ScannedUser } from "./scan-for-damage.ts";

const PAGE = 256;
const BEYOND = 16; // Entries per page past the last known one, since others may append meanwhile.
const MANY = 20_000; // From this many entries on, a worker thread (some 0.2 s and 40 MB) checks the pages.
const BOUNDS = { deadline_ms: 60_000, start_ms: 60_000, memory_mb: 256, young_mb: 32 };
const WORKER = { name: "ledger", file: workerFile("ledger-worker"), logger: silentLogger, ...BOUNDS };

/** Consecutive valid entries of a ledger, and the damage of the one after them. */
export interface CheckedEntries extends CheckedPage {
  readonly first: number; // Number of the first one.
  readonly texts: readonly string[]; // As they are stored.
}

/** A user's entries from the first one, page by page, in constant memory. Every entry must be well-formed, stored byte
 * for byte as it was written, and follow from the one before. The last page is the one with damage, if there is any.
 * @param top the number of the last known entry: one that is missing up to there is damage */
export async function* checkedEntries(storage: Storage, user: EncodedSegment, top: number) {
  const runner = top < MANY ? undefined : new WorkerRunner<{ checkPage: typeof checkPage }>(WORKER);
  const check = (page: StoredPage): CheckedPage | Promise<CheckedPage> =>
    runner?.run("checkPage", page).catch(() => checkPage(page)) ?? checkPage(page);

  const stream = new Stream(storage, ledgerKey(user), entry);
  /** Reads the page after `page` and starts its check, which need not have ended. */
  async function read(page: { first: number; texts: readonly string[] } = { first: 1, texts: [] }) {
    const first = page.first + page.texts.length;
    const size = first > top ? BEYOND : Math.min(PAGE, top - first + 2);
    const keys = Array.from({ length: size }, (_, step) => stream.keyOf(first + step));
    const found = await readEach(storage, keys);
    const stop = found.findIndex((text) => typeof text !== "string");
    const texts = (stop < 0 ? found : found.slice(0, stop)) as string[];
    const next = found[texts.length];
    const unread = next instanceof Error ? { entry: first + texts.length, message: next.message } : undefined;
    return { first, texts, unread, checked: check({ user: user.text, first, before: page.texts.at(-1), texts }) };
  }

  try {
    for await (const { first, texts, unread, checked } of readAhead(read, runner === undefined ? 0 : 3)) {
      const { charged, repeatable, damage: invalid } = await checked;
      const isMissing = charged.length === 0 && first <= top;
      const missing = isMissing
        ? damageAt(first, stream.keyOf(first), `the entry is missing while entry ${top} exists`)
        : undefined;
      const damage = invalid ?? unread ?? missing;
      if (charged.length === 0 && damage === undefined) return;
      const page: CheckedEntries = { first, texts: texts.slice(0, charged.length), charged, repeatable, damage };
      yield page;
      if (damage !== undefined) return;
    }
  } finally {
    await runner?.close();
  }
}

/** Walks a user's ledger from the first entry. Beyond the check of each entry, a repeatable operation must be indexed
 * with its entry. Stops at the first invalid entry.
 * @param visit called with each page of valid entries @returns the last one, and the damage that stopped the walk */
export async function walkLedger(storage: Storage, scanned: ScannedUser, visit: LedgerHooks["onEntries"]) {
  const { segment: user, top } = scanned;
  const followed = new Set(scanned.indexed);
  let last: string | undefined;
  let damage: LedgerDamage | undefined;
  /** The last entry, if its operation was not indexed when it was looked up: valid only while it is the last. */
  let unindexed: readonly RepeatableEntry[] = [];
  for await (const page of checkedEntries(storage, user, top)) {
    const { first, texts, charged } = page;
    const pending = [...unindexed, ...page.repeatable].filter(({ id }) => !followed.has(id));
    const end = first + charged.length - (page.damage === undefined ? 1 : 0);
    const index = await checkIndex(storage, user, pending, end);
    damage = index.damage ?? page.damage;
    unindexed = index.unindexed ?? [];
    const valid = Math.max(0, Math.min(charged.length, (index.damage?.entry ?? Infinity) - first));
    last = texts[valid - 1] ?? last;
    await visit(user, { first, texts: texts.slice(0, valid), charged: charged.slice(0, valid) });
    if (damage !== undefined) break;
  }
  return { last: last === undefined ? undefined : (JSON.parse(last) as Entry), damage };
}

/** A writer indexes the last entry before it appends: the operations of entries before number `end` must be indexed. */
async function checkIndex(storage: Storage, user: EncodedSegment, entries: readonly RepeatableEntry[], end: number) {
  const keys = entries.map(({ operation }) => operationKey(user, operation));
  const texts = await readEach(storage, keys);
  for (const [index, { id }] of entries.entries()) {
    const key = keys[index]!;
    const pointer = checkDocument(key, texts[index], operationPointer);
    if (pointer instanceof Error) return { damage: { entry: id, message: pointer.message } };
    if (pointer === undefined && id >= end) return { unindexed: [entries[index]!] };
    if (pointer === undefined)
      return { damage: damageAt(id, key, `the index of the operation of entry ${id} is missing`) };
    if (pointer.entry !== id)
      return { damage: damageAt(id, key, `its entry is ${id}, but it is indexed as entry ${pointer.entry}`) };
  }
  return {};
}
