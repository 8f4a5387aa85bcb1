import type { z } from "zod";
import { subscriptionKey } from "../accounts/subscriptions.ts";
import { profileKey, userProfile } from "../accounts/users.ts";
import { chainError } from "../ledger/chain.ts";
import { entry, type Entry } from "../ledger/entry.ts";
import { entryKey, ledgerKey, operationKey } from "../ledger/ledger-keys.ts";
import { ChecksumError, verifyChecksum } from "./checksummed-lines.ts";
import { printKey, readDocument } from "../storage/documents.ts";
import type { Key, Storage } from "../storage/storage.ts";
import { headHint } from "../storage/stream-keys.ts";
import { openStream } from "../storage/stream.ts";
import { ledgerLine, type UserLine, type UsersLine } from "./ledger-lines.ts";
import { messageKey } from "../assistant/sessions/messages.ts";

/** How far an import has come. */
export interface ImportProgress {
  /** Entries that were checked before anything was written. */
  checked: number;
  /** Whether all was checked, and is being written. */
  writing: boolean;
  /** Users whose ledger is whole, and who are known now. */
  users: number;
  /** Users that the export holds. */
  all: number;
  entries: number;
  answers: number;
  /** Values that were there already, from an import before. */
  present: number;
  /** Users whose ledger has entries after the last one of the export. */
  readonly ahead: string[];
  /** The user whose ledger comes in, and its last entry; undefined between two. */
  current: { readonly user: string; readonly entry: number } | undefined;
}

/** The import refuses what it reads, or what is there already. What it wrote before stands. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}

type Line = z.infer<typeof ledgerLine>;

const BATCH = { values: 128, characters: 1024 * 1024 } as const;

/**
 * Writes an export of ledgers into a storage that has none of its users. It is read twice: first all of it is checked,
 * the digest at its end, of each entry hash, number, sums, and that it follows the one before, and that nothing else is
 * where it goes; then it is written. So nothing is written of an input that was cut off or changed, or that does not fit
 * what is there. A user becomes known last, when the whole ledger is there;
 * the index of operations is made anew from the entries. An import that was interrupted is finished by running it again:
 * what is there already must be the same to the letter.
 *
 * @param read gives the lines from the first on, the same each time
 * @param progress is kept up to date, for a report in case of failure
 * @returns the users
 * @throws ChecksumError when the input was cut off or changed
 * @throws ImportError when a user is there with another ledger, or a line is not right
 */
export async function importLedgers(
  storage: Storage,
  read: () => AsyncIterable<string>,
  progress: ImportProgress,
  onProgress: () => void = () => undefined,
): Promise<string[]> {
  const users: string[] = [];
  await takeAll(storage, checkedLines(read()), {
    async announce({ users: announced }) {
      for (const one of announced) {
        await refuseStranger(storage, ...one);
        users.push(one[0]);
      }
    },
    async store(values) {
      await present(storage, values);
      onProgress();
    },
    entry() {
      progress.checked += 1;
    },
    async finish(user, entries) {
      if (await storage.has(entryKey(user, entries + 1))) progress.ahead.push(user);
    },
  });
  progress.all = users.length;
  progress.writing = true;
  await takeAll(storage, checkedLines(read()), {
    announce: () => Promise.resolve(),
    async store(values) {
      progress.present += await createAll(storage, values);
      onProgress();
    },
    entry({ id, user_id }) {
      progress.entries += 1;
      progress.current = { user: user_id, entry: id };
    },
    answer() {
      progress.answers += 1;
    },
    async hint(user, entries) {
      const hint = headHint(entries);
      if (hint > 0) await storage.create([...ledgerKey(user), "head"], String(hint));
    },
    finish() {
      progress.users += 1;
      progress.current = undefined;
      return Promise.resolve();
    },
  });
  return users;
}

/**
 * The lines, in an order in which each ledger is whole.
 *
 * @throws ChecksumError
 * @throws ImportError
 */
async function* checkedLines(lines: AsyncIterable<string>): AsyncGenerator<Line> {
  const done = new Map<string, boolean>();
  let last: Entry | undefined;
  let begun = false;

  function announce({ users }: UsersLine): void {
    if (begun) throw new ImportError("users are named too late");
    for (const [user] of users) {
      if (done.has(user)) throw new ImportError(`${user} is named twice`);
      done.set(user, false);
    }
  }

  function follow(item: Entry): void {
    if (last !== undefined && last.user_id !== item.user_id) throw new ImportError(`${last.user_id} has no end`);
    if (done.get(item.user_id) !== false) throw new ImportError(`${item.user_id} is not to come here`);
    const wrong = chainError(item, last, item.user_id);
    if (wrong !== undefined) throw new ImportError(`entry ${(last?.id ?? 0) + 1} of ${item.user_id}: ${wrong}`);
    last = item;
  }

  function finish({ user: { user_id }, entries, head }: UserLine): void {
    if (done.get(user_id) !== false) throw new ImportError(`${user_id} is not to come here`);
    if ((last?.id ?? 0) !== entries || (last?.hash ?? null) !== head || (last?.user_id ?? user_id) !== user_id) {
      throw new ImportError(`the ledger of ${user_id} does not end with entry ${entries}`);
    }
    done.set(user_id, true);
    last = undefined;
  }

  for await (const { number, text } of verifyChecksum("ledger", lines)) {
    let line: Line;
    try {
      line = parseLine(text);
      if ("users" in line) announce(line);
      else begun = true;
      if ("id" in line) follow(line);
      else if ("user" in line) finish(line);
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      throw new ImportError(`Line ${number}: ${error.message}.`);
    }
    yield line;
  }
  if ([...done.values()].includes(false))
    throw new ChecksumError("The input names users whose ledger it does not hold.");
}

/** What becomes of an export's lines. */
interface Taker {
  announce(line: UsersLine): Promise<void>;
  /** Values in the order in which they are to be written: those of one call in any, a user's profile in the last. */
  store(values: readonly Value[]): Promise<void>;
  entry(item: Entry): void;
  answer?(): void;
  /** All entries of a user are stored. */
  hint?(user: string, entries: number): Promise<void>;
  /** All of a user is stored. */
  finish(user: string, entries: number): Promise<void>;
}

async function takeAll(storage: Storage, lines: AsyncIterable<Line>, taker: Taker): Promise<void> {
  let last: Entry | undefined;
  let waiting: Value[] = [];
  let characters = 0;

  async function flush(): Promise<void> {
    const values = waiting;
    waiting = [];
    characters = 0;
    await taker.store(values);
  }

  async function add(key: Key, value: object): Promise<void> {
    const text = JSON.stringify(value);
    waiting.push({ key, text });
    characters += text.length;
    if (waiting.length >= BATCH.values || characters >= BATCH.characters) await flush();
  }

  async function take(item: Entry): Promise<void> {
    await add(entryKey(item.user_id, item.id), item);
    // Whoever makes a ledger's first entry makes the others: where a user came meanwhile, nothing is mixed up.
    if (item.id === 1) await flush();
    if (last?.operation.repeatable === true) {
      await add(operationKey(last.user_id, last.operation.id), { entry: last.id });
    }
    last = item;
    taker.entry(item);
  }

  async function finish({ user: profile, subscription, entries }: UserLine): Promise<void> {
    const { user_id } = profile;
    if (subscription !== null) await add(subscriptionKey(user_id), subscription);
    await flush();
    await taker.hint?.(user_id, entries);
    await add(profileKey(user_id), profile);
    await flush();
    last = undefined;
    await taker.finish(user_id, entries);
  }

  for await (const line of lines) {
    if ("id" in line) await take(line);
    else if ("user" in line) await finish(line);
    else if ("users" in line) await taker.announce(line);
    else {
      await add(messageKey(line.answer.message_id), line.answer);
      taker.answer?.();
    }
  }
  await flush();
}

function parseLine(text: string): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ImportError((error as Error).message);
  }
  // As it stands in the line and not as it was read: what is stored must be the same to the letter.
  if (ledgerLine.safeParse(value).success) return value as Line;
  throw new ImportError("it is no line of a ledger export");
}

interface Value {
  readonly key: Key;
  readonly text: string;
}

/**
 * @returns how many are there already, the same
 * @throws ImportError when another value is there
 */
async function present(storage: Storage, values: readonly Value[]): Promise<number> {
  const texts = await storage.getMany(values.map(({ key }) => key));
  for (const [index, { key, text }] of values.entries()) {
    const there = texts[index];
    if (there === undefined || there === text) continue;
    throw new ImportError(`Another ${printKey(key)} is in this storage. Import into a storage without that user.`);
  }
  return texts.filter((there) => there !== undefined).length;
}

/** Creates what is not there. @returns and throws as {@link present} */
async function createAll(storage: Storage, values: readonly Value[]): Promise<number> {
  const created = await Promise.all(values.map(({ key, text }) => storage.create(key, text)));
  return present(
    storage,
    values.filter((_, index) => !created[index]),
  );
}

/** @throws ImportError when the storage has a user of that id who is not the one of the export */
async function refuseStranger(
  storage: Storage,
  user: string,
  created_at: string,
  firstHash: string | null,
): Promise<void> {
  const profile = await readDocument(storage, profileKey(user), userProfile);
  const first = await openStream(storage, ledgerKey(user), entry).get(1);
  if (profile !== undefined && profile.created_at !== created_at) throw new ImportError(strange(user));
  if (first !== undefined && first.hash !== firstHash) throw new ImportError(strange(user));
}

function strange(user: string): string {
  return (
    `The storage has a user ${user} already, who is not the one of this export. ` +
    "Import into a storage without that user, or export the others one by one."
  );
}
