import { toIso } from "../../../runtime/clock.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { withAccounts } from "../../target/session.ts";
import { printLines } from "../../terminal/print-lines.ts";
import { SourceDamage } from "./source-damage.ts";

export const exportStorage = defineCommand({
  name: "export",
  summary: "Print everything that is stored, as JSON lines",
  description:
    "Print everything that is stored as JSON lines that end with a checksum, in constant memory: ledgers, users, hashes " +
    "of tokens, sessions, answers, events and news. It may run while daemons write: every ledger is complete, each as of " +
    "its own moment. The output contains the questions that users asked.",
  arguments: {},
  options: {},
  examples: ["storage export > backup.jsonl", "storage export | gzip > backup.jsonl.gz"],
  formats: ["jsonl"],
  async run(_values, context) {
    await withAccounts(context, async ({ service: { storage, clock } }) => {
      const { archiveLines } = await import("../../../backup/archive-lines.ts");
      const damage = new SourceDamage();
      if (await printLines(context, archiveLines(storage, toIso(clock.now()), damage.note))) damage.fail();
    });
  },
});
