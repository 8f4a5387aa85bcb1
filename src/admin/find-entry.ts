import type { Entry } from "../ledger/entry.ts";
import { requestTime } from "../runtime/ids.ts";
import { readMessages, type Message } from "../assistant/sessions/messages.ts";
import type { AccountsService } from "../service/accounts-service.ts";
import { knownUsers } from "./known-users.ts";
import { storageReader } from "../cli/commands/ledger/daemon-ledger-reader.ts";
import { newestFirst } from "./select-entries.ts";
import type { Shown } from "../cli/commands/ledger/show.ts";

/** Ids of answers are larger than any number of an entry: they begin with the time. */
const SMALLEST_MESSAGE_ID = 1_000_000_000;
const DAY_MS = 86_400_000;

/**
 * The entry of a request, of an answer, or of a number in a user's ledger, with the question that it charged for.
 *
 * @param user whose it is; whoever's, when left out
 */
export async function findEntry(
  service: AccountsService,
  what: string,
  user: string | undefined,
  onProgress: (words: string) => void,
): Promise<Shown | undefined> {
  const number = /^[1-9]\d{0,15}$/.test(what) ? Number(what) : undefined;
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
  for (const [done, id] of users.entries()) {
    onProgress(`looking through user ${done + 1} of ${users.length}`);
    const entry = await findRef(service, id, what);
    if (entry !== undefined) return withMessage(service, entry);
  }
  return undefined;
}

/** The entry of a user with that reference; of a request of ours, the time is known. */
async function findRef(service: AccountsService, user: string, ref: string): Promise<Entry | undefined> {
  const at = requestTime(ref);
  const range = at === undefined ? {} : around(at);
  for await (const { id, ref_id } of newestFirst(storageReader(service.ledger, user), { types: [], ref, ...range })) {
    if (ref_id === ref) return (await service.ledger.read(user, id, id))[0];
  }
  return undefined;
}

/** The entry that charged for an answer: it was made right after it. */
async function findCharge(
  { ledger }: AccountsService,
  { user_id, message_id, created_at }: Message,
): Promise<Entry | undefined> {
  const range = around(Date.parse(created_at));
  for await (const { id } of newestFirst(storageReader(ledger, user_id), { types: ["chat_cost"], ...range })) {
    const [entry] = await ledger.read(user_id, id, id);
    if (entry?.details.type === "chat_cost" && entry.details.message_id === message_id) return entry;
  }
  return undefined;
}

/** A day before and after, for clocks that differ. */
function around(ms: number): { since: number; until: number } {
  return { since: ms - DAY_MS, until: ms + DAY_MS };
}

async function withMessage({ storage }: AccountsService, entry: Entry | undefined): Promise<Shown | undefined> {
  if (entry === undefined) return undefined;
  const ids = entry.details.type === "chat_cost" ? [entry.details.message_id] : [];
  return { entry, message: (await readMessages(storage, ids))[0] };
}
