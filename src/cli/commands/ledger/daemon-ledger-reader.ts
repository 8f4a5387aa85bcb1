import type { OperationData } from "../../../contract/endpoints.ts";
import type { Entry } from "../../../ledger/entry.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { saysFreeUse } from "../../../ledger/describe-entry.ts";
import type { AccountOperations } from "../../target/operations.ts";
import type { LedgerRow } from "./ledger-columns.ts";

/** A user's ledger, read by the numbers of its entries. */
export interface LedgerReader {
  /** Number of the last entry. */
  total(): Promise<number>;
  /** The entries from number `from` to number `to`, both included and there, oldest first. */
  read(from: number, to: number): Promise<LedgerRow[]>;
}

/** Reads the ledger of the operations' user, on the storage or through a daemon. */
export function openLedgerReader(operations: AccountOperations, user: string | undefined): LedgerReader {
  const { session } = operations;
  return session === undefined ? daemonReader(operations) : storageReader(session.service.ledger, user!);
}

/** Reads a user's ledger on the storage. */
export function storageReader(ledger: Ledger, user: string): LedgerReader {
  return {
    total: async () => (await ledger.state(user)).version,
    read: async (from, to) => (await ledger.read(user, from, to)).map(toRow),
  };
}

/** An entry of the storage as a row. */
export function toRow({ id, delta, type, description, ref_id, created_at, account, details }: Entry): LedgerRow {
  const free_use = details.type === "chat_cost" && details.free;
  return { id, delta, type, description, ref_id, created_at, balance_after: account.balance, free_use };
}

type Item = OperationData<"getLedger">["items"][number];

/** The largest page of the interface. */
const PAGE = 100;

/**
 * The interface lists entries by pages from the newest, and tells a balance only of the present: the balance after an
 * entry is counted from what was read before, where that is next to it, or else back from the present.
 */
function daemonReader({ run }: AccountOperations): LedgerReader {
  /** Points before the entry of the lowest number read, and after that of the highest. */
  let low: { readonly id: number; readonly points: number } | undefined;
  let high: { readonly id: number; readonly points: number } | undefined;

  async function page(number: number, size: number) {
    return (await run("getLedger", { query: { page: number, page_size: size } })).data;
  }

  async function total(): Promise<number> {
    return (await page(1, 1)).total;
  }

  async function items(from: number, to: number): Promise<{ listed: Item[]; newest: number }> {
    const found = new Map<number, Item>();
    const size = Math.min(PAGE, to - from + 1);
    let newest = to;
    for (let wanted = to; wanted >= from;) {
      const { items: listed, total: now } = await page(Math.floor((newest - wanted) / size) + 1, size);
      for (const item of listed) found.set(item.id, item);
      // Entries that were made meanwhile have moved the pages.
      newest = now;
      while (wanted >= from && found.has(wanted)) wanted -= 1;
    }
    return { listed: Array.from({ length: to - from + 1 }, (_, step) => found.get(from + step)!), newest };
  }

  /** The points after the last entry, unless others are made faster than one can look. */
  async function pointsAt(last: number): Promise<number | undefined> {
    const { balance } = (await run("getPoints", {})).data;
    return (await total()) === last ? balance : undefined;
  }

  /** The points after an entry: those of the present without what came since. */
  async function pointsAfter(id: number, newest: number): Promise<number | undefined> {
    let points = await pointsAt(newest);
    for (let top = newest; points !== undefined && top > id; top -= PAGE) {
      const { listed } = await items(Math.max(id + 1, top - PAGE + 1), top);
      points -= sumOf(listed);
    }
    return points;
  }

  return {
    total,
    async read(from, to) {
      const { listed, newest } = await items(from, to);
      let after: number | undefined;
      if (low !== undefined && to === low.id - 1) after = low.points;
      else if (high !== undefined && from === high.id + 1) {
        after = high.points + sumOf(listed);
      } else after = await pointsAfter(to, newest);
      const rows: LedgerRow[] = [];
      let points = after;
      for (const item of listed.reverse()) {
        rows.push({ ...item, balance_after: points ?? null, free_use: saysFreeUse(item.description) });
        if (points !== undefined) points -= item.delta;
      }
      if (after !== undefined && points !== undefined) {
        if (low === undefined || from < low.id) low = { id: from, points };
        if (high === undefined || to > high.id) high = { id: to, points: after };
      }
      return rows.reverse();
    },
  };
}

function sumOf(items: readonly Item[]): number {
  return items.reduce((sum, { delta }) => sum + delta, 0);
}
