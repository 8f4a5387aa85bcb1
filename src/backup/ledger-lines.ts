import { z } from "zod";
import { storedSubscription, userProfile } from "../accounts/users.ts";
import { message } from "../assistant/sessions/messages.ts";
import { chainError } from "../ledger/chain.ts";
import { entry, type Entry } from "../ledger/entry.ts";
import { ChecksumError, verifyChecksum } from "./checksummed-lines.ts";

// All users come first, so that an import finds existing ones before it writes anything. Then each user's entries, oldest
// first, each answer before the entry that charged for it, and the profile, so that an incomplete ledger cannot be used.

/** Some users: id, time of creation, and hash of the first entry. */
const usersLine = z.strictObject({
  users: z.array(z.tuple([z.string(), z.iso.datetime(), z.string().nullable()])),
});

const answerLine = z.strictObject({ answer: message });

const userLine = z.strictObject({
  user: userProfile,
  subscription: storedSubscription.nullable(),
  entries: z.int().min(0),
  /** Hash of the last entry. */
  head: z.string().nullable(),
});

/** Any line: an entry is serialized as it is stored. */
const ledgerLine = z.union([entry, answerLine, userLine, usersLine]);

export type UsersLine = z.infer<typeof usersLine>;
export type UserLine = z.infer<typeof userLine>;
export type LedgerLine = z.infer<typeof ledgerLine>;

/** A line of the export cannot be imported, or the storage holds another value. What was written before stays. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}

/**
 * The lines of an export, after checking that each ledger is complete, that its entries form a chain, and that the
 * users are those that the export names.
 *
 * @throws ChecksumError
 * @throws ImportError
 */
export async function* checkLedgerLines(lines: AsyncIterable<string>): AsyncGenerator<LedgerLine> {
  const order = new LineOrder();
  for await (const { number, text } of verifyChecksum("ledger", lines)) {
    let line: LedgerLine;
    try {
      line = parseLine(text);
      order.check(line);
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      throw new ImportError(`Line ${number}: ${error.message}.`);
    }
    yield line;
  }
  if (!order.isComplete()) throw new ChecksumError("The input names users whose ledger it does not hold.");
}

class LineOrder {
  /** The named users, and whether their ledger has ended. */
  readonly #ended = new Map<string, boolean>();
  #last: Entry | undefined;
  #begun = false;

  check(line: LedgerLine): void {
    if ("users" in line) this.#name(line);
    else if ("id" in line) this.#follow(line);
    else if ("user" in line) this.#end(line);
    this.#begun ||= !("users" in line);
  }

  isComplete(): boolean {
    return ![...this.#ended.values()].includes(false);
  }

  #name({ users }: UsersLine): void {
    if (this.#begun) throw new ImportError("users are named after the first ledger has begun");
    for (const [user] of users) {
      if (this.#ended.has(user)) throw new ImportError(`${user} is named twice`);
      this.#ended.set(user, false);
    }
  }

  #follow(item: Entry): void {
    const last = this.#last;
    if (last && last.user_id !== item.user_id) throw new ImportError(`the ledger of ${last.user_id} has no end`);
    this.#expect(item.user_id);
    const error = chainError(item, last, item.user_id);
    if (error !== undefined) throw new ImportError(`entry ${(last?.id ?? 0) + 1} of ${item.user_id}: ${error}`);
    this.#last = item;
  }

  #end({ user: { user_id }, entries, head }: UserLine): void {
    this.#expect(user_id);
    const last = this.#last;
    if ((last?.id ?? 0) !== entries || (last?.hash ?? null) !== head || (last?.user_id ?? user_id) !== user_id) {
      throw new ImportError(`the ledger of ${user_id} does not end with entry ${entries}`);
    }
    this.#ended.set(user_id, true);
    this.#last = undefined;
  }

  #expect(user: string): void {
    if (this.#ended.get(user) !== false) throw new ImportError(`${user} is not expected here`);
  }
}

function parseLine(text: string): LedgerLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ImportError((error as Error).message);
  }
  // The value of the line, not the parsed one: what is stored must be identical byte for byte.
  if (ledgerLine.safeParse(value).success) return value as LedgerLine;
  throw new ImportError("it is not a line of a ledger export");
}
