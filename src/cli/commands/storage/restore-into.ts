import type { Verification } from "../../../ledger/verify-ledgers.ts";
import type { StoredValue } from "../../../backup/storage-archive.ts";
import type { StoringProgress } from "../../../backup/restore-storage.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Context } from "../../framework/command-context.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import { printRecord } from "../../terminal/print.ts";

/** Takes values into an empty storage, verifies its ledgers and prints what came. */
export async function restoreInto(
  context: Context,
  storage: Storage,
  values: AsyncIterable<StoredValue>,
): Promise<void> {
  const { terminal } = context;
  const [{ storeValues }, { verifyLedgers }, { markFinished }, { sessionTrace }] = await Promise.all([
    import("../../../backup/restore-storage.ts"),
    import("../../../ledger/verify-ledgers.ts"),
    import("../../../storage/unfinished-import.ts"),
    import("../../../assistant/sessions/messages.ts"),
  ]);
  const progress: StoringProgress = { values: 0, present: 0 };
  try {
    await storeValues(storage, values, progress, () => {
      terminal.progress(`${progress.values} values`);
    });
  } catch (error) {
    terminal.progress("");
    throw explained(error, progress);
  }
  const found: Verification[] = [];
  const onProgress = ({ entries }: { entries: number }): void => {
    terminal.progress(`${progress.values} values, ${entries} entries verified`);
  };
  for await (const one of verifyLedgers(storage, { trace: sessionTrace, onProgress })) found.push(one);
  terminal.progress("");
  await markFinished(storage);
  const faults = found.filter(({ damage }) => damage !== undefined);
  await printRecord(context, {
    values: progress.values,
    already_there: progress.present,
    users: found.length,
    entries: found.reduce((sum, { entries }) => sum + entries, 0),
    verified: found.length - faults.length,
  });
  if (faults.length === 0) return;
  const lines = faults.map(({ user_id, damage }) => `${user_id}: entry ${damage!.entry ?? "-"}: ${damage!.message}`);
  throw new CommandFailure(EXIT.failure, ["Everything came, but not all ledgers are right.", ...lines].join("\n"));
}

function explained(error: unknown, { values }: StoringProgress): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === "OccupiedError") return new CommandFailure(EXIT.failure, error.message);
  const far = `Not all has come: ${values} values are there.`;
  if (error.name === "SealError") {
    return new CommandFailure(EXIT.failure, `${error.message}\n${far} Begin again with an empty storage.`);
  }
  if (error.name === "StorageError") {
    error.message += `\n${far} No command works on that storage until the same is taken in again.`;
  }
  return error;
}
