import type { Entry } from "../../../ledger/entry.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { optional, toggle, userId } from "../../framework/param.ts";
import { columnsOf, type Column } from "../../terminal/column.ts";
import { openRecordPrinter, printLines } from "../../terminal/print.ts";
import { withAccounts } from "../../target/operations.ts";
import { knownUsers } from "../../../admin/known-users.ts";

const COLUMNS: readonly Column<Entry>[] = [
  ...columnsOf<Entry>("user_id", "id", "created_at", "type", "delta"),
  { name: "balance", of: ({ account }) => account.balance },
  { name: "total_earned", of: ({ account }) => account.total_earned },
  { name: "total_spent", of: ({ account }) => account.total_spent },
  ...columnsOf<Entry>("description", "ref_id", "hash"),
];

export const exportLedger = defineCommand({
  summary: "Print whole ledgers, oldest entry first",
  arguments: { user: optional("USER", "id of the user; all users when left out", userId) },
  options: { entries: toggle("only the entries, also as JSON lines") },
  formats: ["jsonl", "json", "csv", "tsv"],
  async run({ user, entries }, context) {
    const { format = "jsonl" } = context.globals;
    await withAccounts(context, async ({ service }) => {
      const users = await knownUsers(service, user);
      if (format === "jsonl" && !entries) {
        const [{ checksummed }, { exportLedgers }, { toIso }] = await Promise.all([
          import("../../../backup/checksummed-lines.ts"),
          import("../../../backup/ledger-export.ts"),
          import("../../../runtime/clock.ts"),
        ]);
        await printLines(context, checksummed("ledger", toIso(service.clock.now()), exportLedgers(service, users)));
        return;
      }
      const printer = openRecordPrinter(context, COLUMNS);
      for (const id of users) {
        for await (const entry of service.ledger.entries(id)) {
          if (!(await printer.print(entry))) return;
        }
      }
      await printer.end();
    });
  },
});
