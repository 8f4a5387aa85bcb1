import { storedSubscription, subscriptionKey } from "../accounts/subscriptions.ts";
import { readProfile } from "../accounts/users.ts";
import { message, messageKey } from "../assistant/sessions/messages.ts";
import { UnknownUserError } from "../contract/errors.ts";
import { entry, type Entry, entryKey, ledgerKey } from "../ledger/entry.ts";
import { checkedEntries } from "../ledger/walk-ledger.ts";
import { parseDocument, printKey, readDocument } from "../storage/documents.ts";
import { encodeSegment } from "../storage/keys.ts";
import { catchDamage, CorruptionError, EncodedSegment, type Storage } from "../storage/storage.ts";
import { Stream } from "../storage/stream.ts";

/** A user's ledger: the charged answers before their entries, the entries as they are stored, oldest first, and at the
 * end the user, with the number and the hash of the last entry. Ledgers of any length take constant memory.
 * @throws AnpError 404 for a user who is not known
 * @throws CorruptionError when a value is not what was written, after the entries before it */
export async function* exportLedger(storage: Storage, id: string): AsyncGenerator<string | object> {
  const head = await catchDamage(new Stream(storage, ledgerKey(id), entry).head(), (error) => error);
  const top = typeof head === "number" ? head : 0;
  let last: string | undefined;
  for await (const { texts, charged, damage } of checkedEntries(storage, new EncodedSegment(encodeSegment(id)), top)) {
    yield* answersOf(storage, charged);
    yield* texts;
    if (damage !== undefined) {
      const key = printKey(entryKey(id, damage.entry ?? 0));
      throw Object.assign(new CorruptionError(key, damage.message), { message: damage.message });
    }
    last = texts.at(-1);
  }
  if (typeof head !== "number") throw head;
  const user = await readProfile(storage, id);
  if (user === undefined) throw new UnknownUserError(id);
  const subscription = (await readDocument(storage, subscriptionKey(id), storedSubscription)) ?? null;
  const { id: entries, hash } = last === undefined ? { id: 0, hash: null } : (JSON.parse(last) as Entry);
  yield { user, subscription, entries, head: hash };
}

async function* answersOf(storage: Storage, charged: readonly (number | null)[]): AsyncGenerator<string> {
  const keys = charged.flatMap((id) => (id === null ? [] : [messageKey(id)]));
  for (const [index, text] of (await storage.getMany(keys)).entries())
    if (parseDocument(keys[index]!, text, message) !== undefined) yield `{"answer":${text!}}`;
}
