import { storedLedgerReader, toLedgerRow, type LedgerReader, type LedgerRow } from "../../../admin/ledger-reader.ts";
import type { OperationData } from "../../../contract/endpoints.ts";
import { isFreeUseDescription } from "../../../ledger/describe-entry.ts";
import type { AccountOperations } from "../../target/operations.ts";

type Item = OperationData<"getLedger">["items"][number];

/** Reads a user's ledger from the storage or the daemon that the command works on. */
export function openLedgerReader(operations: AccountOperations, user: string): LedgerReader {
  const { session } = operations;
  if (session === undefined) return daemonLedgerReader(operations);
  const { total, read } = storedLedgerReader(session.service.ledger, user);
  return { total, read: async (from, to) => (await read(from, to)).map(toLedgerRow) };
}

const PAGE = 100;

/** Reads the ledger of the token's user through a daemon. The API reports only the current balance: the balance after an
 * entry is computed back from it, or from the start of the part that was read last. */
function daemonLedgerReader({ run }: AccountOperations): LedgerReader {
  /** The lowest entry of the part that was read last, and the points before it. */
  let low: { readonly id: number; readonly points: number } | undefined;

  const pageOf = async (page: number, page_size: number) =>
    (await run("getLedger", { query: { page, page_size } })).data;
  const total = async () => (await pageOf(1, 1)).total;

  async function itemsOf(from: number, to: number): Promise<{ items: Item[]; newest: number }> {
    const found = new Map<number, Item>();
    const size = Math.min(PAGE, to - from + 1);
    let newest = to;
    for (let wanted = to; wanted >= from;) {
      const page = await pageOf(Math.floor((newest - wanted) / size) + 1, size);
      for (const item of page.items) found.set(item.id, item);
      newest = page.total; // Entries written meanwhile have shifted the pages.
      while (wanted >= from && found.has(wanted)) wanted -= 1;
    }
    return { items: Array.from({ length: to - from + 1 }, (_, step) => found.get(from + step)!), newest };
  }

  /** The points after entry `to`; undefined when entries are written faster than they can be read. */
  async function pointsAfter(to: number, newest: number): Promise<number | undefined> {
    if (low !== undefined && to === low.id - 1) return low.points;
    let points = (await run("getPoints", {})).data.balance;
    if ((await total()) !== newest) return undefined;
    for (let top = newest; top > to; top -= PAGE) {
      const { items } = await itemsOf(Math.max(to + 1, top - PAGE + 1), top);
      for (const { delta } of items) points -= delta;
    }
    return points;
  }

  async function read(from: number, to: number): Promise<LedgerRow[]> {
    const { items, newest } = await itemsOf(from, to);
    let points = await pointsAfter(to, newest);
    const rows = items.toReversed().map((item): LedgerRow => {
      const balance_after = points ?? null;
      if (points !== undefined) points -= item.delta;
      const hidden = { reason: null, actor: null, reverses: null };
      return { ...item, balance_after, free_use: isFreeUseDescription(item.description), ...hidden };
    });
    low = points === undefined ? undefined : { id: from, points };
    return rows.reverse();
  }

  return { total, read };
}
