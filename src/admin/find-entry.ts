import type { Entry } from "../ledger/entry.ts";
import { requestTime } from "../runtime/ids.ts";
import type { AccountsService } from "../service/accounts-service.ts";
import { readMessages, type Message } from "../assistant/sessions/messages.ts";
import { knownUsers } from "./find-users.ts";
import { storedLedgerReader, newestFirst } from "./ledger-reader.ts";

/** Message ids begin with the time, so they are larger than any entry's number. */
const SMALLEST_MESSAGE_ID = 1_000_000_000;
const DAY_MS = 86_400_000;

/** An entry, and the answered question that it charged for, if it did. */
export interface FoundEntry {
  readonly entry: Entry;
  readonly message: Message | undefined;
}

/**
 * Finds an entry by its reference (the request id), by the message id of the answer it charged for, or by its number in
 * a user's ledger.
 *
 * @param id one of the three
 * @param user whose ledger to search; all users' when left out, and a number then finds nothing
 * @param onUser called before each ledger that is searched, with its position from 1 and their number
 * @throws AnpError 404 for a user who is not known
 * @example
 * const found = await findEntry(service, "17", "alice", () => undefined);
 */
export async function findEntry(
  service: AccountsService,
  id: string,
  user: string | undefined,
  onUser: (position: number, users: number) => void,
): Promise<FoundEntry | undefined> {
  const number = /^[1-9]\d{0,15}$/.test(id) ? Number(id) : undefined;
  if (number !== undefined && number >= SMALLEST_MESSAGE_ID) {
    const [message] = await readMessages(service.storage, [number]);
    if (message !== undefined) {
      if (user !== undefined && user !== message.user_id) return undefined;
      const entry = await findCharge(service, message);
      return entry === undefined ? undefined : { entry, message };
    }
  } else if (number !== undefined && user !== undefined) {
    return withMessage(service, (await service.ledger.read(user, number, number))[0]);
  }
  const users = await knownUsers(service, user);
  for (const [index, owner] of users.entries()) {
    onUser(index + 1, users.length);
    const entry = await findRef(service, owner, id);
    if (entry !== undefined) return withMessage(service, entry);
  }
  return undefined;
}

/** The entry with that reference. A request id of ours carries its time, which bounds the search. */
async function findRef({ ledger }: AccountsService, user: string, ref: string): Promise<Entry | undefined> {
  const at = requestTime(ref);
  const range = at === undefined ? {} : around(at);
  for await (const entry of newestFirst(storedLedgerReader(ledger, user), { types: [], ref, ...range })) {
    if (entry.ref_id === ref) return entry;
  }
  return undefined;
}

/** The entry that charged for an answer. It is written right after the message. */
async function findCharge({ ledger }: AccountsService, { user_id, message_id, created_at }: Message) {
  const selection = { types: ["chat_cost"], ...around(Date.parse(created_at)) };
  for await (const entry of newestFirst(storedLedgerReader(ledger, user_id), selection)) {
    if (entry.details.type === "chat_cost" && entry.details.message_id === message_id) return entry;
  }
  return undefined;
}

/** A day before and after, for clocks that differ. */
function around(ms: number): { since: number; until: number } {
  return { since: ms - DAY_MS, until: ms + DAY_MS };
}

async function withMessage({ storage }: AccountsService, entry: Entry | undefined): Promise<FoundEntry | undefined> {
  if (entry === undefined) return undefined;
  const ids = entry.details.type === "chat_cost" ? [entry.details.message_id] : [];
  return { entry, message: (await readMessages(storage, ids))[0] };
}
