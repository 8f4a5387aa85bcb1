import { toIso } from "../../../runtime/clock.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { openLinePrinter } from "../../terminal/print.ts";
import { withAccounts } from "../../target/session.ts";
import { createFaults } from "./archive-findings.ts";

export const exportStorage = defineCommand({
  name: "export",
  summary: "Print everything that is stored, as JSON lines",
  description:
    "Print everything that is stored, as JSON lines that end with a digest, of any size in flat memory: ledgers, users, " +
    "hashes of tokens, sessions, answers, events and news. It may run while daemons write: every ledger comes out whole, " +
    "each as of its own moment. Whoever reads it reads what users asked.",
  arguments: {},
  options: {},
  examples: ["storage export > backup.jsonl", "storage export | gzip > backup.jsonl.gz"],
  formats: ["jsonl"],
  async run(_values, context) {
    await withAccounts(context, async ({ service }) => {
      const [{ checksummed }, { storedValues }] = await Promise.all([
        import("../../../backup/checksummed-lines.ts"),
        import("../../../backup/storage-archive.ts"),
      ]);
      const faults = createFaults();
      async function* lines(): AsyncGenerator<string> {
        for await (const value of storedValues(service.storage, faults.note)) yield JSON.stringify(value);
      }
      const printer = openLinePrinter(context);
      for await (const line of checksummed("storage", toIso(service.clock.now()), lines())) {
        if (!(await printer.print(line))) return;
      }
      await printer.end();
      faults.tell();
    });
  },
});
