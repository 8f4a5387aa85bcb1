import type { Pruned } from "../../../admin/prune-storage.ts";
import { confirmUnlessYes, yesFlag } from "../../framework/confirm.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { UsageError } from "../../framework/command-failure.ts";
import { longWork } from "../../framework/long-work.ts";
import { toggle } from "../../params/param.ts";
import { withAccounts } from "../../target/operations.ts";
import { columnsOf } from "../../terminal/column.ts";
import { printRows } from "../../terminal/print.ts";

const COLUMNS = columnsOf<Pruned>("kind", "count", "oldest_day", "newest_day");

export const prune = defineCommand("storage prune", {
  options: { dryRun: toggle(), yes: yesFlag },
  async run({ dryRun, yes }, context) {
    const rows = await withAccounts(context, async ({ service }) => {
      const { answers_days, events_days } = service.config.retention;
      if (answers_days === undefined && events_days === undefined)
        throw new UsageError("Everything is kept for ever: set retention.answers_days or retention.events_days.");
      const { pruneStorage } = await import("../../../admin/prune-storage.ts");
      const run = (options: { dryRun: boolean }, howToGoOn: string) =>
        longWork(context, howToGoOn, (onStep) => pruneStorage(service, { ...options, onStep }));
      const found = await run({ dryRun: true }, "Nothing was removed.");
      if (dryRun || found.every(({ count }) => count === 0)) return found;
      const [answers, sessions, days] = found.map(({ count }) => count);
      const about = `Remove ${answers} answers, ${sessions} sessions and ${days} days of events?`;
      await confirmUnlessYes(context, yes, about);
      return run({ dryRun: false }, "The same command goes on with the rest.");
    });
    await printRows(context, { rows, columns: COLUMNS });
  },
});
