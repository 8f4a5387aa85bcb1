import type { Verification } from "../../../ledger/verify-ledgers.ts";
import type { ImportProgress } from "../../../backup/ledger-import.ts";
import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import { openLines } from "../../terminal/input-lines.ts";
import { required } from "../../framework/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { withAccounts } from "../../target/session.ts";
import { text } from "../../framework/value-readers.ts";

/** Users named in a note. */
const MOST_NAMED = 5;

export const importLedger = defineCommand({
  name: "import",
  summary: "Take in ledgers that were exported",
  description:
    "Take in ledgers that `anp ledger export` printed, into a storage that has none of their users. All of it " +
    "is checked before anything is written, and verified at the end; what a pipe gives is kept in a temporary file (in " +
    "$TMPDIR) for that. A user becomes known when the whole ledger is there. An import that was interrupted is finished " +
    "by running it again: what is there is kept and must be the same.",
  arguments: { file: required("FILE", "file that `anp ledger export` printed, - for stdin", text(4096)) },
  options: {},
  examples: [
    "ledger import alice.jsonl --storage fs:./data",
    "ledger export --storage fs:./data | anp ledger import - --storage redis://localhost:6379/0",
  ],
  async run({ file }, context) {
    const { terminal } = context;
    const progress: ImportProgress = {
      checked: 0,
      writing: false,
      users: 0,
      all: 0,
      entries: 0,
      answers: 0,
      present: 0,
      ahead: [],
      current: undefined,
    };
    const found = await withAccounts(
      context,
      async ({ service }) => {
        const [{ importLedgers }, { verifyLedgers }] = await Promise.all([
          import("../../../backup/ledger-import.ts"),
          import("../../../ledger/verify-ledgers.ts"),
        ]);
        const lines = await openLines(file, context.io);
        let users: string[];
        try {
          users = await importLedgers(service.storage, lines.read, progress, () => {
            terminal.progress(wordsOf(progress));
          });
        } catch (error) {
          terminal.progress("");
          throw explained(error, progress);
        } finally {
          await lines.close();
        }
        const verified: Verification[] = [];
        const onProgress = ({ entries }: { entries: number }): void => {
          terminal.progress(`${wordsOf(progress)}, ${entries} verified`);
        };
        for await (const one of verifyLedgers(service.storage, { users, onProgress })) verified.push(one);
        return verified;
      },
      { create: true },
    );
    terminal.progress("");
    await report(context, progress, found);
  },
});

async function report(context: Context, progress: ImportProgress, found: readonly Verification[]): Promise<void> {
  const { users, entries, answers, present, ahead } = progress;
  const faults = found.filter(({ damage }) => damage !== undefined);
  await printRecord(context, {
    users,
    entries,
    answers,
    already_there: present,
    verified: found.length - faults.length,
  });
  if (ahead.length > 0) {
    const named = ahead.slice(0, MOST_NAMED).join(", ") + (ahead.length > MOST_NAMED ? ", …" : "");
    context.terminal.say(
      `Ledgers that have entries after the last one of the export, which stay: ${ahead.length} (${named}).`,
    );
  }
  if (faults.length === 0) return;
  const lines = faults.map(({ user_id, damage }) => `${user_id}: entry ${damage!.entry ?? "-"}: ${damage!.message}`);
  throw new CommandFailure(EXIT.failure, ["The ledgers came in, but not all are right.", ...lines].join("\n"));
}

/** The failure with how far the import came; one of the storage keeps its kind, and so its exit code. */
function explained(error: unknown, progress: ImportProgress): unknown {
  if (!(error instanceof Error)) return error;
  const refused = error.name === "SealError" || error.name === "ImportError";
  const message = `${error.message}\n${adviceOn(refused, progress)}`;
  if (refused) return new CommandFailure(EXIT.failure, message);
  if (error.name === "StorageError") error.message = message;
  return error;
}

function adviceOn(refused: boolean, progress: ImportProgress): string {
  if (!progress.writing) return "Nothing was written.";
  const far = `The import is not finished. ${wordsOf(progress)}.`;
  return refused
    ? `${far} Running it again does not finish it: import into a storage that has nothing of these users.`
    : `${far} Run it again with the same export to finish it.`;
}

function wordsOf({ writing, checked, users, all, entries, current }: ImportProgress): string {
  if (!writing) return `${checked} entries checked`;
  const at = current === undefined ? "" : `, ${current.user} is at entry ${current.entry}`;
  return `${users} of ${all} users, ${entries} entries${at}`;
}
