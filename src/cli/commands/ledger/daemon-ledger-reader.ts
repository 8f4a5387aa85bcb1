import { storedRowReader, type LedgerReader, type LedgerRow } from "../../../admin/ledger-reader.ts";
import type { OperationData } from "../../../contract/endpoints.ts";
import { saysFreeUse } from "../../../ledger/describe-entry.ts";
import type { AccountOperations } from "../../target/operations.ts";

type Item = OperationData<"getLedger">["items"][number];

interface PointsAt {
  readonly id: number;
  readonly points: number;
}

/** Reads a user's ledger from the storage or the daemon that the command works on. */
export function openLedgerReader(operations: AccountOperations, user: string): LedgerReader {
  const { session } = operations;
  return session === undefined ? new DaemonLedgerReader(operations) : storedRowReader(session.service.ledger, user);
}

const PAGE = 100;

/**
 * Reads the ledger of the token's user through a daemon. The API lists entries by pages from the newest, and reports
 * only the present balance: the balance after an entry is computed from an adjacent part that was read before, or else
 * back from the present.
 */
class DaemonLedgerReader implements LedgerReader {
  readonly #run: AccountOperations["run"];
  /** Points before the lowest entry read so far, and after the highest. */
  #low: PointsAt | undefined;
  #high: PointsAt | undefined;

  constructor({ run }: AccountOperations) {
    this.#run = run;
  }

  async total(): Promise<number> {
    return (await this.#page(1, 1)).total;
  }

  async read(from: number, to: number): Promise<LedgerRow[]> {
    const { items, newest } = await this.#items(from, to);
    const after = await this.#pointsAfter(from, to, items, newest);
    let points = after;
    const rows = items.toReversed().map((item): LedgerRow => {
      const balance_after = points ?? null;
      if (points !== undefined) points -= item.delta;
      return { ...item, balance_after, free_use: saysFreeUse(item.description) };
    });
    if (after !== undefined && points !== undefined) {
      if (this.#low === undefined || from < this.#low.id) this.#low = { id: from, points };
      if (this.#high === undefined || to > this.#high.id) this.#high = { id: to, points: after };
    }
    return rows.reverse();
  }

  async #page(page: number, page_size: number): Promise<OperationData<"getLedger">> {
    return (await this.#run("getLedger", { query: { page, page_size } })).data;
  }

  /** The entries of a range, oldest first, and the number of the newest entry there was meanwhile. */
  async #items(from: number, to: number): Promise<{ items: Item[]; newest: number }> {
    const found = new Map<number, Item>();
    const size = Math.min(PAGE, to - from + 1);
    let newest = to;
    for (let wanted = to; wanted >= from;) {
      const { items, total } = await this.#page(Math.floor((newest - wanted) / size) + 1, size);
      for (const item of items) found.set(item.id, item);
      // Entries written meanwhile have shifted the pages.
      newest = total;
      while (wanted >= from && found.has(wanted)) wanted -= 1;
    }
    return { items: Array.from({ length: to - from + 1 }, (_, step) => found.get(from + step)!), newest };
  }

  /** The points after entry `to`; undefined when entries are written faster than they can be read. */
  async #pointsAfter(from: number, to: number, items: readonly Item[], newest: number): Promise<number | undefined> {
    if (this.#low !== undefined && to === this.#low.id - 1) return this.#low.points;
    if (this.#high !== undefined && from === this.#high.id + 1) return this.#high.points + sumOf(items);
    let points = (await this.#run("getPoints", {})).data.balance;
    if ((await this.total()) !== newest) return undefined;
    for (let top = newest; top > to; top -= PAGE) {
      points -= sumOf((await this.#items(Math.max(to + 1, top - PAGE + 1), top)).items);
    }
    return points;
  }
}

function sumOf(items: readonly Item[]): number {
  return items.reduce((sum, { delta }) => sum + delta, 0);
}
