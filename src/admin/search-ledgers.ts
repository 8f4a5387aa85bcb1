import { type OnDamage, skipUsers } from "../accounts/users.ts";
import { DAY_MS } from "../runtime/clock.ts";
import { feedbackOf } from "../events/projections/user-feedback.ts";
import { entry as entrySchema, ledgerKey, type Entry } from "../ledger/entry.ts";
import { batchesOf, collect, take } from "../runtime/batches.ts";
import { parseJson } from "../runtime/json/parse-json.ts";
import type { AccountsService } from "../service/accounts-service.ts";
import { readOrDamage, type Skip } from "../storage/documents.ts";
import { catchDamage } from "../storage/storage.ts";
import { Stream } from "../storage/stream.ts";
import { chargedQuestions } from "./charged-questions.ts";
import { knownUsers } from "./find-users.ts";
import { matches, newestEntries, newestFirst, type Selection } from "./ledger-reader.ts";
import { requestTime } from "../runtime/ids.ts";
import { readMessages, type Message } from "../assistant/sessions/messages.ts";
import { reversalOf } from "../service/points.ts";

/** Which entries of all ledgers to find: those that match every given field. */
export interface LedgerSearch extends Selection {
  readonly user?: string | undefined;
  readonly actor?: string | undefined;
  readonly reason?: string | undefined; // A part of the reason, in any case.
  readonly least?: number | undefined; // Bounds of the change in points.
  readonly most?: number | undefined;
  readonly checked?: boolean; // Checks all entries that are looked at: a damaged one is reported though it does not match.
}

/** Called with the number of a user or of users, and the number of all. */
export type OnUser = (done: number, users: number) => void;
type ReadUser<T> = (user: string) => Promise<T[]>;

/** The entries that match, by user, newest first. A ledger that ends before the range costs a few reads.
 * @param skip called with damage, which is left out of the search */
export function searchLedgers(service: AccountsService, search: LedgerSearch, onUser: OnUser, skip: Skip) {
  const read = (id: string): Promise<Entry[]> => collect(findFitting(service, id, search, skip));
  return eachLedger(service, read, onUser, skip, search.user);
}

/** The entries of a user that match, newest first. Other entries are read without checks, unless all are to be checked. */
async function* findFitting(service: AccountsService, user: string, search: LedgerSearch, skip: Skip) {
  const reader = searchReader(service, user, skip, search);
  async function* found(): AsyncGenerator<Entry> {
    for await (const glance of newestFirst(reader, search)) if (fits(glance, search)) yield glance;
  }
  for await (const some of batchesOf(found(), 100)) {
    const [from, to] = [some.at(-1)!.id, some[0]!.id];
    const isDense = to - from < 2 * some.length;
    const read = await (isDense ? reader.readChecked(from, to) : reader.readSingly(some.map(({ id }) => id)));
    read.sort((one, other) => other.id - one.id);
    for (const entry of read) if (matches(entry, search) && fits(entry, search)) yield entry;
  }
}

/** Reads a ledger, without checks by default. A text that is not an entry is read again with all checks, to report it. */
function searchReader({ storage, ledger }: AccountsService, user: string, skip: Skip, search: LedgerSearch) {
  const stream = new Stream(storage, ledgerKey(user), entrySchema);
  let last: Entry | undefined;
  const readOne = (id: number): Promise<Entry[]> => catchDamage(ledger.read(user, id, id), skip);
  const readSingly = async (ids: readonly number[]) => (await Promise.all(ids.map(readOne))).flat();
  const readChecked = (from: number, to: number) =>
    catchDamage(ledger.read(user, from, to), () => readSingly(range(from, to)));
  const read = async (from: number, to: number): Promise<Entry[]> => {
    const keys = range(from, to).map((id) => stream.keyOf(id));
    const glances = (await readOrDamage(storage, keys)).map(async (text, step) => {
      const glance = typeof text === "string" ? (parseJson(text) as Entry | null | undefined) : undefined;
      return glance?.id === from + step && !Number.isNaN(Date.parse(glance.created_at)) ? glance : readOne(from + step);
    });
    return (await Promise.all(glances)).flat();
  };
  return {
    read: search.checked ? readChecked : read,
    readSingly,
    readChecked,
    last: () => last,
    async total(): Promise<number> {
      const head = await stream.head();
      [last] = head === 0 ? [] : await read(head, head);
      return head;
    },
  };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, step) => from + step);

function fits({ delta, details }: Entry, { actor, reason, least, most }: LedgerSearch): boolean {
  const adjusted = details.type === "adjust" ? details : { actor: "", reason: "" };
  return (
    (actor === undefined || adjusted.actor === actor) &&
    (reason === undefined || adjusted.reason.toLowerCase().includes(reason.toLowerCase())) &&
    (least === undefined || delta >= least) &&
    (most === undefined || delta <= most)
  );
}

async function* eachLedger<T>(service: AccountsService, read: ReadUser<T>, onUser: OnUser, skip: Skip, one?: string) {
  const users = await knownUsers(service, one, skip);
  let done = 0;
  for await (const some of batchesOf(users, 32)) {
    yield* (await Promise.all(some.map((user) => catchDamage(read(user), skip)))).flat();
    onUser((done += some.length), users.length);
  }
}

/** What a user did in a range, in points and answers, without entries that are reversed in it and other adjustments. */
export type UserTotals = Readonly<Awaited<ReturnType<typeof totalsOf>>>;

/** @param entries newest first */
async function totalsOf(user_id: string, entries: AsyncIterable<Entry>) {
  const totals = { user_id, spent: 0, earned: 0, free: 0, asked: 0 };
  const takenBack = new Map<number, number>();
  for await (const { id, delta, details } of entries) {
    const net = delta + (takenBack.get(id) ?? 0);
    if (details.type === "adjust") {
      if (details.reverses !== undefined) takenBack.set(details.reverses, delta);
    } else if (details.type === "chat_cost") {
      totals.spent -= net;
      totals.free += Number(details.free);
      totals.asked += 1;
    } else if (delta > 0) totals.earned += net;
    else totals.spent -= net;
  }
  return totals;
}

type Top = Selection & { readonly by: Exclude<keyof UserTotals, "user_id">; readonly limit: number };

/** The users with the most of one figure in a range, highest first. Those without any, and damaged ones, are left out. */
export async function topUsers(service: AccountsService, top: Top, onUser: OnUser, onDamage: OnDamage) {
  const { by, limit, ...selection } = top;
  const read = async (user: string) => [await totalsOf(user, newestEntries(service.ledger, user, selection))];
  const all = await collect(eachLedger(service, read, onUser, skipUsers(onDamage)));
  const ranked = all.filter((one) => one[by] > 0).sort((one, other) => other[by] - one[by]);
  return ranked.slice(0, limit);
}

type Asked = { readonly limit: number; readonly since: number }; // `since` in ms since the epoch.

/** What a user asked and was answered, newest first, with the last word on each answer. @throws CorruptionError */
export async function askedQuestions(service: AccountsService, user: string, { limit, since }: Asked) {
  const entries = newestEntries(service.ledger, user, { types: ["chat_cost"], since });
  // One more than is listed: the last one may repeat it.
  const charges = await chargedQuestions(service.storage, await collect(take(entries, limit + 1)), limit);
  const now = service.clock.now();
  const days = Math.ceil((now - since) / DAY_MS) + 1;
  const feedback = await feedbackOf(service.storage, user, { now, days, limit: Infinity });
  return charges.map((charge) => {
    const said = feedback.find(({ message_id }) => message_id === charge.message_id);
    return { ...charge, feedback: said?.feedback_type ?? null };
  });
}

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
