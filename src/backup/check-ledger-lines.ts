import type { z } from "zod";
import { chainError } from "../ledger/chain.ts";
import type { Entry } from "../ledger/entry.ts";
import { ChecksumError, verifyChecksum } from "./checksummed-lines.ts";
import { ledgerLine, type UserLine, type UsersLine } from "./ledger-lines.ts";

/** A line of the export cannot be imported, or the storage holds another value. What was written before stays. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}

export type LedgerLine = z.infer<typeof ledgerLine>;

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

/** Checks that the lines of an export are in order. */
class LineOrder {
  /** The named users, and whether their ledger has ended. */
  readonly #ended = new Map<string, boolean>();
  #last: Entry | undefined;
  #begun = false;

  check(line: LedgerLine): void {
    if ("users" in line) {
      this.#name(line);
      return;
    }
    this.#begun = true;
    if ("id" in line) this.#follow(line);
    else if ("user" in line) this.#end(line);
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
    if (last !== undefined && last.user_id !== item.user_id)
      throw new ImportError(`the ledger of ${last.user_id} has no end`);
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
