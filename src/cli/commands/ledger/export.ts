import type { Entry } from "../../../ledger/entry.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { INCOMPLETE, printLong } from "../../framework/long-work.ts";
import { optional, toggle, userId } from "../../params/param.ts";
import { withAccounts } from "../../target/operations.ts";
import { columnsOf, type Column } from "../../terminal/column.ts";
import { openRowPrinter } from "../../terminal/print.ts";

const COLUMNS: readonly Column<Entry>[] = [
  ...columnsOf<Entry>("user_id", "id", "created_at", "type", "delta"),
  { name: "balance", of: ({ account }) => account.balance },
  { name: "total_earned", of: ({ account }) => account.total_earned },
  { name: "total_spent", of: ({ account }) => account.total_spent },
  ...columnsOf<Entry>("description", "ref_id", "hash"),
];

export const exportLedger = defineCommand("ledger export", {
  arguments: { user: optional(userId) },
  options: { entries: toggle() },
  async run({ user, entries }, context) {
    const { format = "jsonl" } = context.globals;
    await withAccounts(context, async ({ service }) => {
      const { knownUsers } = await import("../../../admin/find-users.ts");
      const users = await knownUsers(service, user);
      if (format === "jsonl" && !entries) {
        const { checksummed } = await import("../../../backup/checksummed-lines.ts");
        const { exportLedgers } = await import("../../../backup/export-ledgers.ts");
        const { toIso } = await import("../../../runtime/clock.ts");
        const lines = checksummed("ledger", toIso(service.clock.now()), exportLedgers(service, users));
        await printLong(context, INCOMPLETE, lines, "lines");
        return;
      }
      const printer = openRowPrinter(context, COLUMNS, { format });
      for (const id of users) {
        for await (const entry of service.ledger.entries(id)) if (!(await printer.print(entry))) return;
      }
      await printer.end();
    });
  },
});
