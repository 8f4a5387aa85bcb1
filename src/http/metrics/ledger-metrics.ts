import { Counter, type Registry } from "prom-client";
import type { LedgerObserver } from "../../ledger/user-ledger.ts";

/** Points credited and debited, charges, and appends that lost to another writer. */
export function createLedgerMetrics(registers: Registry[]): LedgerObserver {
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> =>
    new Counter({ name, help, labelNames, registers });
  const entries = counter("anp_ledger_entries_total", "New ledger entries, by type", "type");
  const charges = counter("anp_charges_total", "Answers charged for with points, by route", "route");
  const pointsIn = counter("anp_points_in_total", "Points credited, by type of entry", "type");
  const pointsOut = counter("anp_points_out_total", "Points debited, by type of entry", "type");
  const freeUses = counter("anp_free_uses_total", "Answers paid for with a free use");
  const conflicts = counter("anp_ledger_conflicts_total", "Ledger appends that lost to another writer");
  return {
    posted({ type, delta, details }) {
      entries.inc({ type });
      if (delta > 0) pointsIn.inc({ type }, delta);
      if (delta < 0) pointsOut.inc({ type }, -delta);
      if (details.type !== "chat_cost") return;
      if (details.free) freeUses.inc();
      else if (delta < 0) charges.inc({ route: details.route });
    },
    conflicted() {
      conflicts.inc();
    },
  };
}
