import type { StoredValue } from "../../../service/archive.ts";
import { defineCommand } from "../../command.ts";
import { openLines } from "../../lines.ts";
import { required } from "../../param.ts";
import { withAccounts } from "../../session.ts";
import { text } from "../../values.ts";

import { takeIn } from "./take-in.ts";

export const importStorage = defineCommand({
  name: "import",
  summary: "Take everything that was exported into an empty storage",
  description:
    "Take everything that `anp storage export` printed into an empty storage: every value is read back, and all ledgers " +
    "are verified. Until all has come no other command works on the storage; one that was interrupted or cut off is " +
    "finished by running it again.",
  arguments: { file: required("FILE", "file that `anp storage export` printed, - for stdin", text(4096)) },
  options: {},
  examples: [
    "storage import backup.jsonl --storage fs:./restored",
    "gunzip -c backup.jsonl.gz | anp storage import - --storage redis://localhost:6379/0",
  ],
  async run({ file }, context) {
    await withAccounts(
      context,
      async ({ service }) => {
        const [{ unsealed, SealError }, { storedValue }] = await Promise.all([
          import("../../../runtime/seal.ts"),
          import("../../../service/archive.ts"),
        ]);
        const lines = await openLines(file);
        async function* values(): AsyncGenerator<StoredValue> {
          for await (const { number, text: line } of unsealed("storage", lines)) {
            let value: unknown;
            try {
              value = JSON.parse(line);
            } catch (error) {
              throw new SealError(`Line ${number}: ${(error as Error).message}.`);
            }
            const parsed = storedValue.safeParse(value);
            if (!parsed.success) {
              const [issue] = parsed.error.issues;
              throw new SealError(`Line ${number} is no line of a storage export: ${issue!.message}.`);
            }
            yield parsed.data;
          }
        }
        await takeIn(context, service.storage, values());
      },
      { create: true, unfinished: true },
    );
  },
});
