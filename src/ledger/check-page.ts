import { checkDocument } from "../storage/documents.ts";
import { encodeKey, encodeSegment, itemKey } from "../storage/keys.ts";
import { EncodedSegment } from "../storage/storage.ts";
import { chainError } from "./chain.ts";
import { entry, type Entry, ledgerKey } from "./entry.ts";
import { damageAt, type LedgerDamage } from "./scan-for-damage.ts";

/** Entries of a ledger that follow each other, as they are stored. */
export interface StoredPage {
  readonly user: string; // Whose they are, encoded.
  readonly first: number; // Number of the first one.
  readonly before: string | undefined; // The text of the entry before it, which was found valid; undefined for none.
  readonly texts: readonly string[];
}

/** Whether each entry is well-formed, stored byte for byte as it was written, and follows from the one before.
 * @returns the damage of the first that is not */
export function checkPage({ user, first, before, texts }: StoredPage): LedgerDamage | undefined {
  const stem = new EncodedSegment(encodeKey(ledgerKey(new EncodedSegment(user))));
  let last = before === undefined ? undefined : (JSON.parse(before) as Entry);
  for (const [index, text] of texts.entries()) {
    const number = first + index;
    const key = itemKey(stem, number);
    const found = checkDocument(key, text, entry);
    if (found === undefined || found instanceof Error) return { entry: number, message: String(found?.message) };
    const error =
      chainError(found, last, last?.user_id ?? ownerOf(found, user)) ??
      (JSON.stringify(found) === text ? undefined : "it is not as it was written");
    if (error !== undefined) return damageAt(number, key, error);
    last = found;
  }
  return undefined;
}

/** The user whose ledger this is: the id in the entry, if it encodes to the segment. */
const ownerOf = ({ user_id }: Entry, user: string): string =>
  user_id !== "" && encodeSegment(user_id) === user ? user_id : user;
