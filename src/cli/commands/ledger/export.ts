import type { Entry } from "../../../ledger/entry.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { optional, toggle } from "../../framework/param.ts";
import type { Column } from "../../terminal/column.ts";
import { openRecordPrinter } from "../../terminal/print.ts";
import { printLines } from "../../terminal/print-lines.ts";
import { withAccounts } from "../../target/session.ts";
import { userId } from "../../framework/value-readers.ts";
import { knownUsers } from "../../../admin/known-users.ts";

const COLUMNS: readonly Column<Entry>[] = [
  { name: "user_id", of: ({ user_id }) => user_id },
  { name: "id", of: ({ id }) => id },
  { name: "created_at", of: ({ created_at }) => created_at },
  { name: "type", of: ({ type }) => type },
  { name: "delta", of: ({ delta }) => delta },
  { name: "balance", of: ({ account }) => account.balance },
  { name: "total_earned", of: ({ account }) => account.total_earned },
  { name: "total_spent", of: ({ account }) => account.total_spent },
  { name: "description", of: ({ description }) => description },
  { name: "ref_id", of: ({ ref_id }) => ref_id },
  { name: "hash", of: ({ hash }) => hash },
];

export const exportLedger = defineCommand({
  name: "export",
  summary: "Print whole ledgers, oldest entry first",
  description:
    "Print whole ledgers, oldest entry first, in constant memory. JSON lines, the default, contain all that " +
    "`anp ledger import` needs to continue them elsewhere: entries, profiles, plans, charged answers, and a checksum at " +
    "the end. The other formats, and --entries, contain only the entries. Tokens, sessions, events and news are left " +
    "out: `anp storage copy` copies everything.",
  arguments: { user: optional("USER", "id of the user; all users when left out", userId) },
  options: { entries: toggle("only the entries, also as JSON lines") },
  examples: [
    "ledger export alice > alice.jsonl",
    "ledger export --storage fs:./data | anp ledger import - --storage redis://localhost:6379/0",
    "ledger export --format csv | head",
  ],
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
