import { subscriptionKey, profileKey, userProfile, storedSubscription } from "../accounts/users.ts";
import { messageKey, message } from "../assistant/sessions/messages.ts";
import { entry, type Entry, entryKey, ledgerKey, operationKey } from "../ledger/entry.ts";
import { printKey, readDocument, parseDocument } from "../storage/documents.ts";
import type { Key, Storage } from "../storage/storage.ts";
import { Stream } from "../storage/stream.ts";
import { checkLedgerLines, ImportError, type LedgerLine, type UserLine, type UsersLine } from "./ledger-lines.ts";
import { AnpError } from "../contract/errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { batchesOf } from "../runtime/batches.ts";

/** The progress of an import that has not begun. */
export function newImportProgress() {
  return {
    /** Entries that were checked before anything was written. */
    checked: 0,
    /** Whether all lines were checked, and are being written. */
    writing: false,
    /** Users whose ledger and profile were written. */
    users: 0,
    all: 0,
    entries: 0,
    answers: 0,
    /** Values that an interrupted import had written already. */
    present: 0,
    /** Users whose ledger has entries after the last one of the export. */
    ahead: [] as string[],
    /** The user whose ledger is being written, and its last entry; undefined between two. */
    current: undefined as { readonly user: string; readonly entry: number } | undefined,
  };
}

/** The progress of an import. */
export type ImportProgress = ReturnType<typeof newImportProgress>;

const BATCH = { values: 128, characters: 1024 * 1024 } as const;

/** Imports an export of ledgers into a storage that has none of its users. The export is read twice. The first pass
 * checks all of it and writes nothing: the digest, the chain of the entries, and that the storage holds no other value
 * under their keys. So nothing is written of an input that was cut off or changed, or that does not fit the storage.
 * The second pass writes: a user's profile last, when the ledger is complete, and an index of operations rebuilt from
 * the entries. An interrupted import is finished by running it again: values that are already stored must be identical.
 * @param read yields the lines from the first on, the same each time
 * @param progress is kept up to date, for a report in case of failure
 * @returns the users
 * @throws ChecksumError when the input was cut off or changed
 * @throws ImportError when the storage has a user with another ledger, or a line is invalid */
export async function importLedgers(
  storage: Storage,
  read: () => AsyncIterable<string>,
  progress: ImportProgress,
  onProgress: () => void = () => undefined,
): Promise<string[]> {
  const users: string[] = [];
  await passLines(storage, checkLedgerLines(read()), progress, users, onProgress);
  progress.all = users.length;
  progress.writing = true;
  await passLines(storage, checkLedgerLines(read()), progress, users, onProgress);
  return users;
}

type Value = { readonly key: Key; readonly text: string };

/** Converts the lines to values. Before `progress.writing` these are only compared with the storage, and users collected. */
async function passLines(
  storage: Storage,
  lines: AsyncIterable<LedgerLine>,
  progress: ImportProgress,
  users: string[],
  onProgress: () => void,
): Promise<void> {
  const { writing } = progress;
  const batch = createBatch(async (values) => {
    const created = writing ? await Promise.all(values.map(({ key, text }) => storage.create(key, text))) : [];
    const others = values.filter((_, index) => created[index] !== true);
    const equal = await countEqual(storage, others);
    if (writing) progress.present += equal;
    onProgress();
  });
  let last: Entry | undefined;
  for await (const line of lines) {
    if ("users" in line) {
      if (writing) continue;
      for (const user of line.users) {
        await refuseOtherUser(storage, user);
        users.push(user[0]);
      }
    } else if ("id" in line) {
      await batch.add(entryKey(line.user_id, line.id), line);
      // The first entry is written before the others: if another process has created the user meanwhile, it fails here.
      if (line.id === 1) await batch.flush();
      if (last?.operation.repeatable === true) {
        await batch.add(operationKey(last.user_id, last.operation.id), { entry: last.id });
      }
      last = line;
      progress[writing ? "entries" : "checked"] += 1;
      if (writing) progress.current = { user: line.user_id, entry: line.id };
    } else if ("user" in line) {
      const { user: profile, subscription, entries } = line;
      const { user_id } = profile;
      if (subscription !== null) await batch.add(subscriptionKey(user_id), subscription);
      await batch.flush();
      if (writing && entries > 0) await storage.create([...ledgerKey(user_id), "head"], String(entries));
      await batch.add(profileKey(user_id), profile);
      await batch.flush();
      last = undefined;
      progress.current = undefined;
      if (writing) progress.users += 1;
      else if (await storage.has(entryKey(user_id, entries + 1))) progress.ahead.push(user_id);
    } else {
      await batch.add(messageKey(line.answer.message_id), line.answer);
      if (writing) progress.answers += 1;
    }
  }
  await batch.flush();
}

function createBatch(store: (values: readonly Value[]) => Promise<void>) {
  let waiting: Value[] = [];
  let characters = 0;
  const flush = (): Promise<void> => {
    const values = waiting;
    [waiting, characters] = [[], 0];
    return store(values);
  };
  const add = async (key: Key, value: object): Promise<void> => {
    const text = JSON.stringify(value);
    waiting.push({ key, text });
    characters += text.length;
    if (waiting.length >= BATCH.values || characters >= BATCH.characters) await flush();
  };
  return { add, flush };
}

/** How many of the values the storage has already. @throws ImportError when it has another one under a key */
async function countEqual(storage: Storage, values: readonly Value[]): Promise<number> {
  const texts = await storage.getMany(values.map(({ key }) => key));
  const other = values.find(({ text }, index) => texts[index] !== undefined && texts[index] !== text);
  if (other !== undefined) {
    const place = printKey(other.key);
    throw new ImportError(`This storage has a different value at ${place}. Import into a storage without that user.`);
  }
  return texts.filter((stored) => stored !== undefined).length;
}

async function refuseOtherUser(storage: Storage, [user, created_at, firstHash]: UsersLine["users"][number]) {
  const profile = await readDocument(storage, profileKey(user), userProfile);
  const first = await new Stream(storage, ledgerKey(user), entry).get(1);
  if ((profile?.created_at ?? created_at) === created_at && (first?.hash ?? firstHash) === firstHash) return;
  throw new ImportError(
    `The storage already has another user ${user}, who is not the one in this export. ` +
      "Import into a storage without that user, or export the others one by one.",
  );
}

const USERS_A_LINE = 500;
const ENTRIES_AT_ONCE = 256;

/** The lines of a ledger export (see `ledger-lines.ts`). Ledgers of any length take constant memory.
 * @throws AnpError 404 for a user who is not known
 * @throws CorruptionError when a value is not what was written */
export async function* exportLedgers(
  { storage, ledger }: { storage: Storage; ledger: Ledger },
  users: readonly string[],
): AsyncGenerator<string | object> {
  for await (const some of batchesOf(users, USERS_A_LINE)) {
    const line: UsersLine = { users: [] };
    for (const user of some) {
      const { created_at } = await profileOf(storage, user);
      const first = await new Stream(storage, ledgerKey(user), entry).get(1);
      line.users.push([user, created_at, first?.hash ?? null]);
    }
    yield line;
  }
  for (const user of users) {
    let last: Entry | undefined;
    for await (const page of batchesOf(ledger.entries(user), ENTRIES_AT_ONCE)) {
      yield* answersOf(storage, page);
      yield* page;
      last = page.at(-1);
    }
    yield {
      user: await profileOf(storage, user),
      subscription: (await readDocument(storage, subscriptionKey(user), storedSubscription)) ?? null,
      entries: last?.id ?? 0,
      head: last?.hash ?? null,
    } satisfies UserLine;
  }
}

async function profileOf(storage: Storage, user: string) {
  const profile = await readDocument(storage, profileKey(user), userProfile);
  if (profile === undefined) throw new AnpError(404, `User ${user} is not known.`);
  return profile;
}

/** The charged answers, which a repeated question returns in the new storage too. */
async function* answersOf(storage: Storage, entries: readonly Entry[]): AsyncGenerator<string> {
  const keys = entries.flatMap(({ details }) => (details.type === "chat_cost" ? [messageKey(details.message_id)] : []));
  const texts = await storage.getMany(keys);
  for (const [index, key] of keys.entries()) {
    const text = texts[index];
    if (parseDocument(key, text, message) !== undefined) yield `{"answer":${text!}}`;
  }
}
