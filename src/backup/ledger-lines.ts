import { z } from "zod";
import { storedSubscription, userProfile } from "../accounts/users.ts";
import { message } from "../assistant/sessions/messages.ts";
import { chainError } from "../ledger/chain.ts";
import { entry, type Entry } from "../ledger/entry.ts";
import { ChecksumError, verifyChecksum } from "./checksummed-lines.ts";

// All users come first, so that an import finds existing ones before it writes anything. Then each user's entries, oldest
// first, each answer before the entry that charged for it, and the profile, so that an incomplete ledger cannot be used.

/** Some users: id, time of creation, and hash of the first entry. */
const usersLine = z.strictObject({ users: z.array(z.tuple([z.string(), z.iso.datetime(), z.string().nullable()])) });

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

/** The lines of an export, after checking that each ledger is complete, that its entries form a chain, and that the
 * users are those that the export names.
 * @throws ChecksumError
 * @throws ImportError */
export async function* checkLedgerLines(lines: AsyncIterable<string>): AsyncGenerator<LedgerLine> {
  const order = createLineOrder();
  for await (const { number, value } of verifyChecksum("ledger", lines)) {
    try {
      if (!ledgerLine.safeParse(value).success) throw new ImportError("it is not a line of a ledger export");
      // The value of the line, not the parsed one: what is stored must be identical byte for byte.
      order.check(value as LedgerLine);
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      throw new ImportError(`Line ${number}: ${error.message}.`);
    }
    yield value as LedgerLine;
  }
  if (!order.isComplete()) throw new ChecksumError("The input names users whose ledger it does not hold.");
}

function createLineOrder() {
  /** Whether the ledger of a named user has ended. */
  const ended = new Map<string, boolean>();
  let last: Entry | undefined;
  let begun = false;

  function expectUser(user: string): void {
    if (ended.get(user) !== false) throw new ImportError(`${user} is not expected here`);
  }

  function name({ users }: UsersLine): void {
    if (begun) throw new ImportError("users are named after the first ledger has begun");
    for (const [user] of users) {
      if (ended.has(user)) throw new ImportError(`${user} is named twice`);
      ended.set(user, false);
    }
  }

  function follow(item: Entry): void {
    if (last && last.user_id !== item.user_id) throw new ImportError(`the ledger of ${last.user_id} has no end`);
    expectUser(item.user_id);
    const error = chainError(item, last, item.user_id);
    if (error !== undefined) throw new ImportError(`entry ${(last?.id ?? 0) + 1} of ${item.user_id}: ${error}`);
    last = item;
  }

  function end({ user: { user_id }, entries, head }: UserLine): void {
    expectUser(user_id);
    if ((last?.id ?? 0) !== entries || (last?.hash ?? null) !== head || (last?.user_id ?? user_id) !== user_id) {
      throw new ImportError(`the ledger of ${user_id} does not end with entry ${entries}`);
    }
    ended.set(user_id, true);
    last = undefined;
  }

  return {
    check(line: LedgerLine): void {
      if ("users" in line) name(line);
      else if ("id" in line) follow(line);
      else if ("user" in line) end(line);
      begun ||= !("users" in line);
    },
    isComplete: () => ![...ended.values()].includes(false),
  };
}
