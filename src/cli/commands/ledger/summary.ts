import { defineCommand } from "../../framework/define-command.ts";
import { withAccountOperations, type AccountOperations } from "../../target/operations.ts";
import { userParam } from "../../framework/param.ts";
import { since } from "../../framework/time-format.ts";
import { USER_OR_TOKEN } from "../../target/find-user.ts";
import { selectionFlags, selectionOf } from "./selection-flags.ts";

const DEFAULT_RANGE = "30d";

export const summary = defineCommand({
  name: "summary",
  summary: "Sum up what a user earned, spent and used for free",
  description:
    `Sum up what a user earned, spent and used for free, by type and by day; over the last ${DEFAULT_RANGE} when --since ` +
    "is left out. A day is a quota day, in quota.timezone.",
  arguments: { user: userParam("USER", USER_OR_TOKEN) },
  options: selectionFlags,
  target: "either",
  examples: ["ledger summary alice", "ledger summary alice --since 7d --json", "ledger summary alice --type chat_cost"],
  async run({ user, ...flags }, context) {
    const now = context.clock.now();
    const [{ offsetMinutes }, { openLedgerReader }, { newestFirst }, { createLedgerSummary }, { printSummary }] =
      await Promise.all([
        import("../../../runtime/utc-offset.ts"),
        import("./open-ledger-reader.ts"),
        import("../../../admin/select-entries.ts"),
        import("../../../admin/ledger-summary.ts"),
        import("./print-summary.ts"),
      ]);
    const selection = selectionOf({ ...flags, since: flags.since ?? since(DEFAULT_RANGE) }, now);
    const summarize = async (operations: AccountOperations) => {
      const { user_id, balance_points, next_reset_at } = (await operations.run("getMe", {})).data;
      const offset = offsetMinutes(/(Z|[+-]\d\d:\d\d)$/.exec(next_reset_at)?.[1] ?? "Z") ?? 0;
      const totals = createLedgerSummary(offset);
      for await (const row of newestFirst(openLedgerReader(operations, user_id), selection)) {
        totals.add(row);
      }
      return { user_id, since: new Date(selection.since!).toISOString(), balance: balance_points, ...totals.result() };
    };
    const found = await withAccountOperations(context, user, summarize, { lookUp: true });
    await printSummary(context, found, selection.until ?? now);
  },
});
