import type { FoundRow, UserTotals } from "../../../admin/search-ledgers.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { anything, integer, name, oneOf, optional } from "../../framework/param.ts";
import { showShare, since } from "../../framework/time-format.ts";
import { withAccounts } from "../../target/operations.ts";
import { columnsOf, type Column } from "../../terminal/column.ts";
import { printRows } from "../../terminal/print.ts";
import { ledgerColumns } from "./ledger-columns.ts";
import { printAll } from "./list.ts";
import { DEFAULT_RANGE, selectionFlags, selectionOf } from "./selection-flags.ts";

const TOP = 20;

export const search = defineCommand("ledger search", {
  options: {
    ...selectionFlags,
    actor: optional(name(128)),
    reason: optional(anything),
    least: optional(integer()),
    most: optional(integer()),
  },
  async run(flags, context) {
    const { terminal, clock } = context;
    await withAccounts(context, async ({ service }) => {
      const { searchLedgers } = await import("../../../admin/search-ledgers.ts");
      const zone = service.config.quota.timezone;
      const { actor, reason, least, most } = flags;
      const wanted = { actor, reason, least, most, ...selectionOf(flags, clock.now(), zone) };
      const columns: Column<FoundRow>[] = [{ name: "user_id" }, ...ledgerColumns(clock.now(), zone)];
      let found = 0;
      const began = performance.now();
      const onUser = (done: number, users: number): void => {
        terminal.progress(
          `${done} of ${users} users searched (${showShare(done, users, performance.now() - began)}), ${found} entries found`,
        );
      };
      async function* counted(): AsyncGenerator<FoundRow> {
        for await (const row of searchLedgers(service, wanted, onUser)) {
          found += 1;
          yield row;
        }
        terminal.progress("");
      }
      await printAll(context, columns, counted());
    });
  },
});

const TOTALS = columnsOf<UserTotals>("user_id", "spent", "earned", "free", "asked");

export const top = defineCommand("ledger top", {
  options: {
    by: optional(oneOf("spent", "earned", "free", "asked")),
    since: selectionFlags.since,
    until: selectionFlags.until,
    limit: optional(integer(1)),
  },
  async run({ by = "spent", limit = TOP, ...flags }, context) {
    const { terminal, clock } = context;
    const rows = await withAccounts(context, async ({ service }) => {
      const { topUsers } = await import("../../../admin/search-ledgers.ts");
      const given = { type: [], ref: undefined, ...flags, since: flags.since ?? since(DEFAULT_RANGE) };
      const selection = selectionOf(given, clock.now(), service.config.quota.timezone);
      const began = performance.now();
      return topUsers(service, by, { ...selection, most: limit }, (done, users) => {
        terminal.progress(`${done} of ${users} users read (${showShare(done, users, performance.now() - began)})`);
      });
    });
    terminal.progress("");
    await printRows(context, { data: rows, rows, columns: TOTALS, none: "No user has any." });
  },
});
