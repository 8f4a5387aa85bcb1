import type { Entry } from "../../../ledger/entry.ts";
import { defineCommand } from "../../command.ts";
import { optional } from "../../param.ts";
import { openRecordPrinter, type Column } from "../../print.ts";
import { withSession } from "../../session.ts";
import { userId } from "../../values.ts";
import { knownUsers } from "./known-users.ts";

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
    "Print whole ledgers, oldest entry first, of any length in flat memory: JSON lines, or as --format says.",
  arguments: { user: optional("USER", "id of the user; all users when left out", userId) },
  options: {},
  examples: ["ledger export alice > alice.jsonl", "ledger export --format csv | head"],
  formats: ["jsonl", "json", "csv", "tsv"],
  async run({ user }, context) {
    await withSession(context, async ({ service }) => {
      const users = await knownUsers(service, user);
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
