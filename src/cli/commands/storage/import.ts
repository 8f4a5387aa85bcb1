import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import { openLines } from "../../terminal/input-lines.ts";
import { required } from "../../framework/param.ts";
import { withAccounts } from "../../target/session.ts";
import { text } from "../../framework/value-readers.ts";
import { restoreInto } from "./restore-into.ts";

export const importStorage = defineCommand({
  name: "import",
  summary: "Restore a storage export into an empty storage",
  description:
    "Restore what `anp storage export` printed into an empty storage. All of it is checked before anything is written; " +
    "input from a pipe is first saved in a temporary file (in $TMPDIR). Every value is read back, and all ledgers are " +
    "verified. No other command works on the storage until it is complete. An interrupted import is finished by running " +
    "it again.",
  arguments: { file: required("FILE", "file that `anp storage export` printed, - for stdin", text(4096)) },
  options: {},
  examples: [
    "storage import backup.jsonl --storage fs:./restored",
    "storage import - --storage redis://localhost:6379/0 < backup.jsonl",
  ],
  async run({ file }, context) {
    await withAccounts(
      context,
      async ({ service }) => {
        const { archivedValues } = await import("../../../backup/archive-lines.ts");
        const lines = await openLines(file, context.io);
        try {
          await check(context, archivedValues(lines.read()));
          await restoreInto(context, service.storage, archivedValues(lines.read()));
        } finally {
          await lines.close();
        }
      },
      { create: true, unfinished: true },
    );
  },
});

/** Reads all values to the end, before anything is written. */
async function check({ terminal }: Context, values: AsyncGenerator): Promise<void> {
  let count = 0;
  try {
    while ((await values.next()).done !== true) {
      count += 1;
      if (count % 256 !== 0) continue;
      terminal.progress(`${count} values checked`);
    }
  } catch (error) {
    terminal.progress("");
    if (!(error instanceof Error) || error.name !== "ChecksumError") throw error;
    throw new CommandFailure(EXIT.failure, `${error.message}\nNothing was written.`);
  }
}
