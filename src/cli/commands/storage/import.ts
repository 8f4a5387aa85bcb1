import type { StoredValue } from "../../../backup/storage-archive.ts";
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
  summary: "Take everything that was exported into an empty storage",
  description:
    "Take everything that `anp storage export` printed into an empty storage. All of it is checked before anything is " +
    "written; what a pipe gives is kept in a temporary file (in $TMPDIR) for that. Every value is read back, and all " +
    "ledgers are verified. Until all has come no other command works on the storage; one that was interrupted is " +
    "finished by running it again.",
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
        const [{ verifyChecksum, ChecksumError }, { storedValue }] = await Promise.all([
          import("../../../backup/checksummed-lines.ts"),
          import("../../../backup/storage-archive.ts"),
        ]);
        const lines = await openLines(file, context.io);
        async function* values(): AsyncGenerator<StoredValue> {
          for await (const { number, text: line } of verifyChecksum("storage", lines.read())) {
            let value: unknown;
            try {
              value = JSON.parse(line);
            } catch (error) {
              throw new ChecksumError(`Line ${number}: ${(error as Error).message}.`);
            }
            const parsed = storedValue.safeParse(value);
            if (!parsed.success) {
              const [issue] = parsed.error.issues;
              throw new ChecksumError(`Line ${number} is no line of a storage export: ${issue!.message}.`);
            }
            yield parsed.data;
          }
        }
        try {
          await check(context, values());
          await restoreInto(context, service.storage, values());
        } finally {
          await lines.close();
        }
      },
      { create: true, unfinished: true },
    );
  },
});

/** Reads all to the end, before anything is written. */
async function check({ terminal }: Context, values: AsyncGenerator<StoredValue>): Promise<void> {
  let count = 0;
  try {
    while ((await values.next()).done !== true) {
      count += 1;
      if (count % 256 !== 0) continue;
      terminal.progress(`${count} values checked`);
    }
  } catch (error) {
    terminal.progress("");
    if (!(error instanceof Error) || error.name !== "SealError") throw error;
    throw new CommandFailure(EXIT.failure, `${error.message}\nNothing was written.`);
  }
}
