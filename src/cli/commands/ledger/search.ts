import type { FoundRow } from "../../../admin/search-ledgers.ts";
import { defineCommand } from "../../framework/command.ts";
import { countTo, longWork } from "../../framework/long-work.ts";
import { anything, integer, name, oneOf, optional } from "../../params/param.ts";
import { since } from "../../framework/time-format.ts";
import { withAccounts } from "../../target/operations.ts";
import { printTable, tableColumns, type Column } from "../../terminal/print.ts";
import { entryCells } from "./ledger-columns.ts";
import { printAll } from "./list.ts";
import { DEFAULT_RANGE, rangeFlags, selectionFlags, selectionOf } from "./selection-flags.ts";

export const search = defineCommand("ledger search", {
  options: {
    ...selectionFlags,
    actor: optional(name(128)),
    reason: optional(anything),
    least: optional(integer()),
    most: optional(integer()),
  },
  async run(flags, context) {
    const { clock } = context;
    await withAccounts(context, async ({ service, zone }) => {
      const { searchLedgers } = await import("../../../admin/search-ledgers.ts");
      const { actor, reason, least, most } = flags;
      const wanted = { actor, reason, least, most, ...selectionOf(flags, clock.now(), zone) };
      const columns: Column<FoundRow>[] = tableColumns("found entries", entryCells(clock.now(), zone));
      await longWork(context, "What was found so far is printed; a shorter range takes less time.", (report) =>
        printAll(context, columns, searchLedgers(service, wanted, countTo(report, "users searched"))),
      );
    });
  },
});

export const top = defineCommand("ledger top", {
  options: { by: optional(oneOf("spent", "earned", "free", "asked")), ...rangeFlags, limit: optional(integer(1)) },
  async run({ by = "spent", limit = 20, ...flags }, context) {
    const { clock } = context;
    const rows = await withAccounts(context, async ({ service, zone }) => {
      const { topUsers } = await import("../../../admin/search-ledgers.ts");
      const selection = selectionOf({ ...flags, since: flags.since ?? since(DEFAULT_RANGE) }, clock.now(), zone);
      return longWork(context, "A shorter range takes less time.", (report) =>
        topUsers(service, by, { ...selection, most: limit }, countTo(report, "users read")),
      );
    });
    await printTable(context, { table: "top users", rows });
  },
});
