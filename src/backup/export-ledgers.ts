import { storedSubscription, subscriptionKey } from "../accounts/subscriptions.ts";
import { readProfile } from "../accounts/users.ts";
import { message, messageKey } from "../assistant/sessions/messages.ts";
import { UnknownUserError } from "../contract/errors.ts";
import type { Entry } from "../ledger/entry.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { batchesOf } from "../runtime/batches.ts";
import { parseDocument, readDocument } from "../storage/documents.ts";
import type { Storage } from "../storage/storage.ts";

/** A user's ledger: the charged answers before their entries, the entries as they are stored, oldest first, and at the
 * end the user, with the number and the hash of the last entry. Ledgers of any length take constant memory.
 * @throws AnpError 404 for a user who is not known
 * @throws CorruptionError when a value is not what was written */
export async function* exportLedger(storage: Storage, ledger: Ledger, id: string): AsyncGenerator<string | object> {
  let last: Entry | undefined;
  for await (const page of batchesOf(ledger.entries(id), 256)) {
    yield* answersOf(storage, page);
    yield* page;
    last = page.at(-1);
  }
  const user = await readProfile(storage, id);
  if (user === undefined) throw new UnknownUserError(id);
  const subscription = (await readDocument(storage, subscriptionKey(id), storedSubscription)) ?? null;
  yield { user, subscription, entries: last?.id ?? 0, head: last?.hash ?? null };
}

async function* answersOf(storage: Storage, entries: readonly Entry[]): AsyncGenerator<string> {
  const keys = entries.flatMap(({ details }) => (details.type === "chat_cost" ? [messageKey(details.message_id)] : []));
  for (const [index, text] of (await storage.getMany(keys)).entries())
    if (parseDocument(keys[index]!, text, message) !== undefined) yield `{"answer":${text!}}`;
}
