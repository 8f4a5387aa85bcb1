import { summarizeLedger, type LedgerSummary, newestFirst } from "../../../admin/ledger-reader.ts";
import { toIso } from "../../../runtime/clock.ts";
import type { Context } from "../../framework/command-context.ts";
import { columnsOf, type Column } from "../../terminal/column.ts";
import { formatOf, printRecord, printRows, showDelta } from "../../terminal/print.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { withAccountOperations, type AccountOperations } from "../../target/operations.ts";
import { userParam } from "../../params/param.ts";
import { dayIn, since } from "../../framework/time-format.ts";
import { DEFAULT_RANGE, selectionFlags, selectionOf } from "./selection-flags.ts";

export const summary = defineCommand("ledger summary", {
  arguments: { user: userParam() },
  options: selectionFlags,
  async run({ user, ...flags }, context) {
    const summarize = async (operations: AccountOperations): Promise<void> => {
      const { openLedgerReader } = await import("./daemon-ledger-reader.ts");
      const { user_id, balance_points: balance } = (await operations.run("getMe", {})).data;
      const zone = await operations.zone();
      const given = { ...flags, since: flags.since ?? since(DEFAULT_RANGE) };
      const selection = selectionOf(given, context.clock.now(), zone);
      const rows = newestFirst(openLedgerReader(operations, user_id), selection);
      const totals = await summarizeLedger(rows, (ms) => dayIn(ms, zone));
      await printSummary(context, { user_id, since: toIso(selection.since!), balance, ...totals }, zone);
    };
    await withAccountOperations(context, user, summarize, { lookUp: true });
  },
});

type Summary = LedgerSummary & { readonly user_id: string; readonly since: string; readonly balance: number };

const TYPES: readonly Column<LedgerSummary["by_type"][number]>[] = [
  { name: "type" },
  { name: "entries" },
  { name: "delta", show: ({ delta }, terminal) => showDelta(delta, terminal) },
  { name: "free_uses" },
];
const DAYS = columnsOf<LedgerSummary["by_day"][number]>("day", "earned", "spent", "free_uses", "entries");

async function printSummary(context: Context, found: Summary, zone: string): Promise<void> {
  const { terminal } = context;
  if (formatOf(context) !== "table") {
    const { by_type, by_day, ...totals } = found;
    await printRecord(context, ["json", "jsonl"].includes(formatOf(context)) ? { ...totals, by_type, by_day } : totals);
    return;
  }
  const { user_id, balance, earned, spent, free_uses, entries, by_type, by_day } = found;
  await printRecord(context, { user_id, balance, earned, spent, net: earned - spent, free_uses, entries });
  if (entries === 0) {
    terminal.say("No entry matches.");
    return;
  }
  await terminal.write("\n");
  await printRows(context, { rows: by_type, columns: TYPES });
  await terminal.write(`\nDays in ${zone}\n`);
  await printRows(context, { rows: by_day, columns: DAYS });
}
