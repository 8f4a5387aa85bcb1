import { parseJson } from "../runtime/json/parse-json.ts";
import { checkDocument } from "../storage/documents.ts";
import { encodeKey, encodeSegment, itemKey } from "../storage/keys.ts";
import { EncodedSegment } from "../storage/storage.ts";
import { type Account, EMPTY_ACCOUNT, entry, type Entry, genesisHash, hashEntry, ledgerKey } from "./entry.ts";
import { pointsFor } from "./points-rules.ts";
import { damageAt, type LedgerDamage, type WalkedEntries } from "./scan-for-damage.ts";

type Link = Pick<Entry, "id" | "prev" | "hash">;

/** Why an entry is not a link after `last`, as a clause that continues its name; undefined for a valid one.
 * @param prev the hash that it follows: that of `last`, or the one that begins a chain */
export function linkError(found: Link, last: Link | undefined, prev: string): string | undefined {
  const { hash, ...fields } = found;
  if (hash !== hashEntry(fields)) return "its hash does not fit its fields";
  if (found.prev !== prev) return "it does not follow the entry before";
  return found.id === (last?.id ?? 0) + 1 ? undefined : `it says that it is entry ${found.id}`;
}

/** Why an entry cannot follow `last`, as a clause that continues its name; undefined for a valid one: its hash fits its
 * fields and the entry before, its number and user are the expected ones, its details allow its delta, and its account
 * results from the one before and its delta. */
export function chainError(found: Entry, last: Entry | undefined, user: string): string | undefined {
  const unlinked = linkError(found, last, last?.hash ?? genesisHash(user));
  if (unlinked !== undefined) return unlinked;
  if (found.user_id !== user) return `it says that it belongs to ${found.user_id}`;
  if (found.type !== found.details.type) return `its details are of type ${found.details.type}`;
  if (!isAllowed(found)) return `its delta of ${found.delta} does not fit its details`;
  const before = last?.account ?? EMPTY_ACCOUNT;
  const { account, delta } = found;
  const free = found.details.type === "chat_cost" && found.details.free;
  const expected: Account = {
    balance: before.balance + delta,
    total_earned: before.total_earned + Math.max(0, delta),
    total_spent: before.total_spent + Math.max(0, -delta),
    free_day: free ? account.free_day : before.free_day,
    free_used: free ? (account.free_day === before.free_day ? before.free_used + 1 : 1) : before.free_used,
  };
  // The schema lets it have no other fields.
  const isExpected = (Object.keys(expected) as (keyof Account)[]).every((name) => account[name] === expected[name]);
  if (!isExpected) return "its account does not follow from the one before";
  // A day in the future was written by a wrong clock: the quota does not wait for it.
  const wasAhead = before.free_day > found.created_at.slice(0, 10);
  return account.free_day < before.free_day && !wasAhead ? "its quota day is before an earlier one" : undefined;
}

/** Whether these details allow this delta. The rates of rewards and answers are not stored: only the sign is checked. */
function isAllowed({ delta, details }: Entry): boolean {
  if (details.type === "exchange") return delta === pointsFor(details.token_amount, details.exchange_rate);
  if (details.type === "chat_cost") return details.free ? delta === 0 : delta <= 0;
  return details.type === "adjust" || delta >= 0;
}

/** Entries of a ledger that follow each other, as they are stored. */
export interface StoredPage extends Pick<WalkedEntries, "first" | "texts"> {
  readonly user: string; // Whose they are, encoded.
  readonly before: string | undefined; // The text of the entry before the first; undefined for none.
}

/** What is needed of the valid entries before the first that is not: little, as it may come from another thread. */
export interface CheckedPage extends Pick<WalkedEntries, "charged"> {
  readonly repeatable: readonly RepeatableEntry[];
  readonly damage: LedgerDamage | undefined; // Of the entry after them.
}

/** An entry whose operation may be repeated: it is indexed. */
export type RepeatableEntry = { readonly id: number; readonly operation: string };

/** Whether each entry is well-formed, stored byte for byte as it was written, and follows from the one before. Where the
 * entry before the page is damaged, which its own page tells, what is found here means nothing. */
export function checkPage({ user, first, before, texts }: StoredPage): CheckedPage {
  const stem = new EncodedSegment(encodeKey(ledgerKey(new EncodedSegment(user))));
  const charged: (number | null)[] = [];
  const repeatable: RepeatableEntry[] = [];
  let last = before === undefined ? undefined : (parseJson(before) as Entry | undefined);
  for (const [index, text] of texts.entries()) {
    const number = first + index;
    const key = itemKey(stem, number);
    const found = checkDocument(key, text, entry)!;
    if (found instanceof Error) return { charged, repeatable, damage: { entry: number, message: found.message } };
    const error =
      chainError(found, last, last?.user_id ?? ownerOf(found, user)) ??
      (JSON.stringify(found) === text ? undefined : "it is not as it was written");
    if (error !== undefined) return { charged, repeatable, damage: damageAt(number, key, error) };
    charged.push(found.details.type === "chat_cost" ? found.details.message_id : null);
    if (found.operation.repeatable) repeatable.push({ id: number, operation: found.operation.id });
    last = found;
  }
  return { charged, repeatable, damage: undefined };
}

/** The user whose ledger this is: the id in the entry, if it encodes to the segment. */
const ownerOf = ({ user_id }: Entry, user: string): string =>
  user_id !== "" && encodeSegment(user_id) === user ? user_id : user;
