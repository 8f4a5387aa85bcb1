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
