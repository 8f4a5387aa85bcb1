import type { ImportProgress } from "../../../backup/ledger-import.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { openLines } from "../../terminal/input-lines.ts";
import { required, text, optional, toggle, userId } from "../../framework/param.ts";
import { printRecord, openRecordPrinter, printLines } from "../../terminal/print.ts";
import { withAccounts } from "../../target/operations.ts";
import { countUndamaged, failOnDamage, verifyWithProgress, withAdvice } from "./verify-with-progress.ts";
import type { Entry } from "../../../ledger/entry.ts";
import { columnsOf, type Column } from "../../terminal/column.ts";

const MOST_LISTED = 5;

export const importLedger = defineCommand("ledger import", {
  arguments: { file: required(text(4096)) },
  async run({ file }, context) {
    const { newImportProgress } = await import("../../../backup/ledger-import.ts");
    const progress = newImportProgress();
    const found = await withAccounts(
      context,
      async ({ service: { storage } }) => {
        const users = await importFrom(file, storage, context, progress);
        return verifyWithProgress(context, storage, { users }, ({ entries }) => {
          return `${showProgress(progress)}, ${entries} verified`;
        });
      },
      { create: true },
    );
    const { users, entries, answers, present, ahead } = progress;
    await printRecord(context, { users, entries, answers, already_there: present, verified: countUndamaged(found) });
    if (ahead.length > 0) {
      const listed = ahead.slice(0, MOST_LISTED).join(", ") + (ahead.length > MOST_LISTED ? ", …" : "");
      context.terminal.warn(
        `Ledgers with later entries than the export, which were kept: ${ahead.length} (${listed}).`,
      );
    }
    failOnDamage(found, ["The ledgers were imported, but some are damaged."]);
  },
});

async function importFrom(file: string, storage: Storage, { io, terminal }: Context, progress: ImportProgress) {
  const { importLedgers } = await import("../../../backup/ledger-import.ts");
  const lines = await openLines(file, io);
  try {
    return await importLedgers(storage, lines.read, progress, () => {
      terminal.progress(showProgress(progress));
    });
  } catch (error) {
    terminal.progress("");
    const others = "Running it again cannot finish it: import into a storage without these users.";
    const again = "Run it again with the same export to finish it.";
    const state = (advice: string): string =>
      progress.writing ? `The import is not finished. ${showProgress(progress)}. ${advice}` : "Nothing was written.";
    throw withAdvice(error, { ChecksumError: state(others), ImportError: state(others), StorageError: state(again) });
  } finally {
    await lines.close();
  }
}

function showProgress({ writing, checked, users, all, entries, current }: ImportProgress): string {
  if (!writing) return `${checked} entries checked`;
  const at = current === undefined ? "" : `, ${current.user} at entry ${current.entry}`;
  return `${users} of ${all} users, ${entries} entries${at}`;
}

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
        const { exportLedgers } = await import("../../../backup/ledger-import.ts");
        const { toIso } = await import("../../../runtime/clock.ts");
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
