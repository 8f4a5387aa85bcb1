import type { OperationData } from "../contract/endpoints.ts";
import type { Entry } from "../ledger/entry.ts";
import type { Ledger } from "../ledger/ledger.ts";

/** An entry of a ledger as operators see it. */
export interface LedgerRow extends Omit<OperationData<"getLedger">["items"][number], "type"> {
  readonly type: string;
  /** Points after the entry; null where a daemon wrote entries while they were read from it. */
  readonly balance_after: number | null;
  /** Whether a free use paid for it. */
  readonly free_use: boolean;
}

/** A user's ledger, read by the numbers of its entries. */
export interface LedgerReader<E = LedgerRow> {
  /** Number of the last entry. */
  total(): Promise<number>;
  /** The existing entries from number `from` to number `to`, both included, oldest first. */
  read(from: number, to: number): Promise<E[]>;
}

/** Reads a user's ledger from the storage. */
export function storedLedgerReader(ledger: Ledger, user: string): LedgerReader<Entry> {
  return {
    total: async () => (await ledger.open(user)).version,
    read: (from, to) => ledger.read(user, from, to),
  };
}

/** Reads a user's ledger from the storage, as rows. */
export function storedRowReader(ledger: Ledger, user: string): LedgerReader {
  const entries = storedLedgerReader(ledger, user);
  return { ...entries, read: async (from, to) => (await entries.read(from, to)).map(toLedgerRow) };
}

export function toLedgerRow(entry: Entry): LedgerRow {
  const { id, delta, type, description, ref_id, created_at, account } = entry;
  return {
    id,
    delta,
    type,
    description,
    ref_id,
    created_at,
    balance_after: account.balance,
    free_use: isFreeUse(entry),
  };
}

/** Whether a free use, not points, paid for the entry's answer. */
export function isFreeUse({ details }: Entry): boolean {
  return details.type === "chat_cost" && details.free;
}
