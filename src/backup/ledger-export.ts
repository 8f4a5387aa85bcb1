import { storedSubscription, subscriptionKey, profileKey, userProfile } from "../accounts/users.ts";
import { AnpError } from "../contract/errors.ts";
import { entry, type Entry, ledgerKey } from "../ledger/entry.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { batchesOf } from "../runtime/batches.ts";
import { parseDocument, readDocument } from "../storage/documents.ts";
import type { Storage } from "../storage/storage.ts";
import { Stream } from "../storage/stream.ts";
import type { UserLine, UsersLine } from "./ledger-lines.ts";
import { message, messageKey } from "../assistant/sessions/messages.ts";

const USERS_A_LINE = 500;
const ENTRIES_AT_ONCE = 256;

/**
 * The lines of a ledger export (see `ledger-lines.ts`). Ledgers of any length take constant memory.
 *
 * @throws AnpError 404 for a user who is not known
 * @throws CorruptionError when a value is not what was written
 */
export async function* exportLedgers(
  { storage, ledger }: { storage: Storage; ledger: Ledger },
  users: readonly string[],
): AsyncGenerator<string> {
  for await (const some of batchesOf(users, USERS_A_LINE)) {
    const line: UsersLine = { users: [] };
    for (const user of some) {
      const { created_at } = await profileOf(storage, user);
      const first = await new Stream(storage, ledgerKey(user), entry).get(1);
      line.users.push([user, created_at, first?.hash ?? null]);
    }
    yield JSON.stringify(line);
  }
  for (const user of users) {
    let last: Entry | undefined;
    for await (const page of batchesOf(ledger.entries(user), ENTRIES_AT_ONCE)) {
      yield* answersOf(storage, page);
      for (const item of page) yield JSON.stringify(item);
      last = page.at(-1);
    }
    const line: UserLine = {
      user: await profileOf(storage, user),
      subscription: (await readDocument(storage, subscriptionKey(user), storedSubscription)) ?? null,
      entries: last?.id ?? 0,
      head: last?.hash ?? null,
    };
    yield JSON.stringify(line);
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
