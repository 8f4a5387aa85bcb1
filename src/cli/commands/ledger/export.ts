import type { Entry } from "../../../ledger/entry.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { optional, toggle } from "../../framework/param.ts";
import { openLinePrinter, openRecordPrinter, type Column } from "../../terminal/print.ts";
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
    "Print whole ledgers, oldest entry first, of any length in flat memory. JSON lines, the default, hold all that " +
    "`anp ledger import` needs to go on with them elsewhere: entries, profiles, plans and the answers that were paid " +
    "for, and at the end a digest. The other formats, and --entries, hold the entries alone. Tokens, sessions, events " +
    "and news are not in it: `anp storage copy` moves everything.",
  arguments: { user: optional("USER", "id of the user; all users when left out", userId) },
  options: { entries: toggle("the entries alone, also as JSON lines") },
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
        const lines = checksummed("ledger", toIso(service.clock.now()), exportLedgers(service, users));
        const printer = openLinePrinter(context);
        for await (const line of lines) {
          if (!(await printer.print(line))) return;
        }
        await printer.end();
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
