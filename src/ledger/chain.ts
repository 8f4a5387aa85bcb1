import { parseJson } from "../runtime/json/parse-json.ts";
import { checkDocument } from "../storage/documents.ts";
import { encodeKey, encodeSegment, itemKey } from "../storage/keys.ts";
import { EncodedSegment } from "../storage/storage.ts";
import { type Account, EMPTY_ACCOUNT, entry, type Entry, genesisHash, hashEntry, ledgerKey } from "./entry.ts";
import { pointsFor } from "./points-rules.ts";
import { damageAt, type LedgerDamage, type WalkedEntries } from "./scan-for-damage.ts";

type Link = Pick<Entry, "id" | "prev" | "hash">;

/** Why an entry does not link to `last`, as a clause about it ("its hash …"); undefined for a valid link.
 * @param prev the expected previous hash: that of `last`, or the first hash of the chain */
export function linkError(found: Link, last: Link | undefined, prev: string): string | undefined {
  const { hash, ...fields } = found;
  if (hash !== hashEntry(fields)) return "its hash does not fit its fields";
  if (found.prev !== prev) return "it does not follow the entry before";
  return found.id === (last?.id ?? 0) + 1 ? undefined : `it says that it is entry ${found.id}`;
}

/** Why an entry cannot follow `last`, as a clause; undefined for a valid one: its hash matches the fields, `prev` is
 * that of `last`, number and user are as expected, the details allow the delta, and the account is that plus it. */
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
  // The schema allows no other fields.
  const isExpected = (Object.keys(expected) as (keyof Account)[]).every((name) => account[name] === expected[name]);
  if (!isExpected) return "its account does not follow from the one before";
  // A quota day in the future came from a wrong clock: a later entry may return to the real day.
  const wasAhead = before.free_day > found.created_at.slice(0, 10);
  return account.free_day < before.free_day && !wasAhead ? "its quota day is before an earlier one" : undefined;
}

/** Whether these details allow this delta. The rates of rewards and answers are not stored: only the sign is checked. */
function isAllowed({ delta, details }: Entry): boolean {
  if (details.type === "exchange") return delta === pointsFor(details.token_amount, details.exchange_rate);
  if (details.type === "chat_cost") return details.free ? delta === 0 : delta <= 0;
  return details.type === "adjust" || delta >= 0;
}

/** Consecutive entries of a ledger, as stored. */
export interface StoredPage extends Pick<WalkedEntries, "first" | "texts"> {
  readonly user: string; // Owner of the ledger, as an encoded segment.
  readonly before: string | undefined; // The text of the entry before the first; undefined for none.
}

/** The result of checking a page: its entries before the first invalid one. Small, as a worker thread may send it. */
export interface CheckedPage extends Pick<WalkedEntries, "charged"> {
  readonly repeatable: readonly RepeatableEntry[];
  readonly damage: LedgerDamage | undefined; // Of the first invalid entry.
}

/** An entry whose operation may be retried, and is therefore indexed. */
export type RepeatableEntry = { readonly id: number; readonly operation: string };

/** Checks that each entry is well-formed, stored byte for byte as it was written, and follows from the one before. If
 * the entry before the page is damaged (the check of its own page reports that), this result has no meaning. */
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
