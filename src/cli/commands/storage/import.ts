import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import { openLines } from "../../terminal/input-lines.ts";
import { required } from "../../framework/param.ts";
import { withAccounts } from "../../target/session.ts";
import { text } from "../../framework/value-readers.ts";
import { restoreInto } from "./restore-into.ts";

export const importStorage = defineCommand({
  summary: "Restore a storage export into an empty storage",
  arguments: { file: required("FILE", "file that `anp storage export` printed, - for stdin", text(4096)) },
  async run({ file }, context) {
    await withAccounts(
      context,
      async ({ service }) => {
        const { archivedValues } = await import("../../../backup/storage-archive.ts");
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
