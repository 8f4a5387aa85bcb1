import type { Entry } from "../ledger/entry.ts";
import { collect } from "../runtime/batches.ts";
import { DAY_MS } from "../runtime/clock.ts";
import { requestTime } from "../runtime/ids.ts";
import type { AccountsService } from "../service/accounts-service.ts";
import { readMessages, type Message } from "../assistant/sessions/messages.ts";
import { reversalOf } from "../service/points.ts";
import type { Skip } from "../storage/documents.ts";
import { catchDamage } from "../storage/storage.ts";
import { newestEntries } from "./ledger-reader.ts";
import { searchLedgers, type OnUser } from "./search-ledgers.ts";

const SMALLEST_MESSAGE_ID = 1_000_000_000; // Message ids begin with the time: they are larger than any entry's number.

/** An entry, the answered question that it charged for, if it did, and the number of the entry that takes it back. */
export type FoundEntry = Readonly<Awaited<ReturnType<typeof withMessages>>[number]>;

const MIN_FULL_ID_LENGTH = 10; // They hold the time of a request id of ours.

/** Finds entries by their reference (the request id) or its beginning, by the message id of the answer they charged for,
 * and by their number in a user's ledger. A client chooses references: one may look like a number or a message id, so all
 * are looked up. Beginnings count only where nothing matches as a whole.
 * @param id `entry:17` is nothing but the number, if there is a user
 * @param onUser called after each ledger that was searched
 * @param user whose ledger to search; all users' when left out, and a number then finds nothing
 * @throws AnpError 404 for a user who is not known */
export async function findEntries(service: AccountsService, id: string, onUser: OnUser, skip: Skip, user?: string) {
  const [, only, digits = "0"] = /^(entry:)?([1-9]\d{0,15})$/.exec(id) ?? [];
  const number = Number(digits);
  const numbered = user === undefined || number === 0 ? [] : await service.ledger.read(user, number, number);
  if (only !== undefined && user !== undefined) return withMessages(service, numbered, skip);
  const [message] = number < SMALLEST_MESSAGE_ID ? [] : await readMessages(service.storage, [number]);
  const isTheirs = message !== undefined && (user ?? message.user_id) === message.user_id;
  const charge = isTheirs ? await findCharge(service, message) : undefined;
  const at = requestTime(id); // A request id of ours carries its time, which bounds the search.
  // What is too short for a beginning may still be a whole reference, which the platform chose.
  const whole = at === undefined && id.length < MIN_FULL_ID_LENGTH;
  const search = { types: [], user, checked: true, ref: id, whole, ...(at !== undefined && around(at)) };
  const found = await collect(searchLedgers(service, search, onUser, skip));
  const exact = [
    ...numbered,
    ...(charge === undefined ? [] : [charge]),
    ...found.filter(({ ref_id }) => ref_id === id),
  ];
  const named = new Map((exact.length === 0 ? found : exact).map((entry) => [entry.hash, entry]));
  return withMessages(service, [...named.values()], skip);
}

/** The entry that charged for an answer. It is written right after the message. */
async function findCharge({ ledger }: AccountsService, { user_id, message_id, created_at }: Message) {
  const selection = { types: ["chat_cost"], ...around(Date.parse(created_at)) };
  for await (const entry of newestEntries(ledger, user_id, selection))
    if (entry.details.type === "chat_cost" && entry.details.message_id === message_id) return entry;
  return undefined;
}

/** A day before and after, for clocks that differ. */
const around = (ms: number): { since: number; until: number } => ({ since: ms - DAY_MS, until: ms + DAY_MS });

function withMessages({ storage, ledger }: AccountsService, entries: readonly Entry[], skip: Skip) {
  const found = entries.map(async (entry) => {
    const messages = readMessages(storage, entry.details.type === "chat_cost" ? [entry.details.message_id] : []);
    const [message] = await catchDamage(messages, skip);
    const reversal = ledger.open(entry.user_id).then(async (open) => [await open.find(reversalOf(entry.id))]);
    return { entry, message, reversed_by: (await catchDamage(reversal, skip))[0]?.id ?? null };
  });
  return Promise.all(found);
}
