import { parseJson } from "../runtime/json/parse-json.ts";
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
  readonly before: string | undefined; // The text of the entry before it; undefined for none.
  readonly texts: readonly string[];
}

/** Whether each entry is well-formed, stored byte for byte as it was written, and follows from the one before. Where the
 * entry before the page is damaged, which its own page tells, what is found here means nothing.
 * @returns the entries before the first that is not, and its damage */
export function checkPage({ user, first, before, texts }: StoredPage) {
  const stem = new EncodedSegment(encodeKey(ledgerKey(new EncodedSegment(user))));
  const valid: Entry[] = [];
  let last = before === undefined ? undefined : (parseJson(before) as Entry | undefined);
  for (const [index, text] of texts.entries()) {
    const number = first + index;
    const key = itemKey(stem, number);
    const found = checkDocument(key, text, entry)!;
    if (found instanceof Error) return { valid, damage: { entry: number, message: found.message } };
    const error =
      chainError(found, last, last?.user_id ?? ownerOf(found, user)) ??
      (JSON.stringify(found) === text ? undefined : "it is not as it was written");
    if (error !== undefined) return { valid, damage: damageAt(number, key, error) };
    valid.push(found);
    last = found;
  }
  return { valid, damage: undefined };
}

/** The jobs of a thread that checks pages: parsing their texts again takes less time than copying the entries. */
export const pageJobs = { damageIn: (page: StoredPage): LedgerDamage | undefined => checkPage(page).damage };

/** The user whose ledger this is: the id in the entry, if it encodes to the segment. */
const ownerOf = ({ user_id }: Entry, user: string): string =>
  user_id !== "" && encodeSegment(user_id) === user ? user_id : user;
