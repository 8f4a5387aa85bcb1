import type { RestoreProgress } from "../../../backup/restore-storage.ts";
import type { StoredValue } from "../../../backup/storage-archive.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Context } from "../../framework/command-context.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import { printRecord } from "../../terminal/print.ts";
import { countUndamaged, failOnDamage, verifyWithProgress } from "../ledger/verify-with-progress.ts";

/** The headline of damage that a copy or an export left out. */
export const SOURCE_DAMAGED = "The source storage is damaged. Everything else was written.";

/** Restores values into an empty storage, verifies its ledgers and prints the counts. */
export async function restoreInto(
  context: Context,
  storage: Storage,
  values: AsyncIterable<StoredValue>,
): Promise<void> {
  const { terminal } = context;
  const [{ restoreStorage }, { markFinished }, { sessionTrace }] = await Promise.all([
    import("../../../backup/restore-storage.ts"),
    import("../../../storage/unfinished-import.ts"),
    import("../../../assistant/sessions/messages.ts"),
  ]);
  const progress: RestoreProgress = { values: 0, present: 0 };
  try {
    await restoreStorage(storage, values, progress, () => {
      terminal.progress(`${progress.values} values`);
    });
  } catch (error) {
    terminal.progress("");
    throw withAdvice(error, progress);
  }
  const found = await verifyWithProgress(context, storage, { trace: sessionTrace }, ({ entries }) => {
    return `${progress.values} values, ${entries} entries verified`;
  });
  await markFinished(storage);
  await printRecord(context, {
    values: progress.values,
    already_there: progress.present,
    users: found.length,
    entries: found.reduce((sum, { entries }) => sum + entries, 0),
    verified: countUndamaged(found),
  });
  failOnDamage(found, ["Everything was restored, but some ledgers are damaged."]);
}

/** The failure with how far it came and what to do; one of the storage keeps its kind, and so its exit code. */
function withAdvice(error: unknown, { values }: RestoreProgress): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === "StorageNotEmptyError") return new CommandFailure(EXIT.failure, error.message);
  const restored = `The storage is incomplete: ${values} values were restored.`;
  if (error.name === "ChecksumError") {
    return new CommandFailure(EXIT.failure, `${error.message}\n${restored} Start again with an empty storage.`);
  }
  if (error.name === "StorageError") {
    error.message += `\n${restored} No other command works on it until the same import is run again and completes.`;
  }
  return error;
}
