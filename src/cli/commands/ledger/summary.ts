import { createLedgerSummary, type LedgerSummary, newestFirst } from "../../../admin/ledger-reader.ts";
import { offsetMinutes } from "../../../runtime/utc-offset.ts";
import type { Context } from "../../framework/command-context.ts";
import { columnsOf, type Column } from "../../terminal/column.ts";
import { formatOf, printRecord, printRows, showDelta } from "../../terminal/print.ts";
import { sparkline } from "../../terminal/sparkline.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { withAccountOperations, type AccountOperations, USER_OR_TOKEN } from "../../target/operations.ts";
import { userParam } from "../../framework/param.ts";
import { since } from "../../framework/time-format.ts";
import { selectionFlags, selectionOf } from "./selection-flags.ts";

const DEFAULT_RANGE = "30d";

export const summary = defineCommand({
  summary: "Sum up what a user earned, spent and used for free",
  arguments: { user: userParam("USER", USER_OR_TOKEN) },
  options: selectionFlags,
  target: "either",
  async run({ user, ...flags }, context) {
    const now = context.clock.now();
    const { openLedgerReader } = await import("./daemon-ledger-reader.ts");
    const selection = selectionOf({ ...flags, since: flags.since ?? since(DEFAULT_RANGE) }, now);
    const summarize = async (operations: AccountOperations) => {
      const { user_id, balance_points, next_reset_at } = (await operations.run("getMe", {})).data;
      const offset = offsetMinutes(/(Z|[+-]\d\d:\d\d)$/.exec(next_reset_at)?.[1] ?? "Z") ?? 0;
      const totals = createLedgerSummary(offset);
      for await (const row of newestFirst(openLedgerReader(operations, user_id), selection)) totals.add(row);
      return { user_id, since: new Date(selection.since!).toISOString(), balance: balance_points, ...totals.result() };
    };
    const found = await withAccountOperations(context, user, summarize, { lookUp: true });
    await printSummary(context, found, selection.until ?? now);
  },
});

const TYPES: readonly Column<LedgerSummary["by_type"][number]>[] = [
  { name: "type" },
  { name: "entries" },
  { name: "delta", show: ({ delta }, terminal) => showDelta(delta, terminal) },
  { name: "free_uses" },
];
const DAYS = columnsOf<LedgerSummary["by_day"][number]>("day", "earned", "spent", "free_uses", "entries");

/** @param until end of the range, ms since the epoch */
async function printSummary(
  context: Context,
  found: LedgerSummary & { readonly user_id: string; readonly since: string; readonly balance: number },
  until: number,
): Promise<void> {
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
  await printRows(context, { data: by_type, rows: by_type, columns: TYPES });
  const days = eachDay(by_day, found.since.slice(0, 10), new Date(until).toISOString().slice(0, 10));
  const sparks = (["earned", "spent", "free_uses"] as const).map((field) => {
    const [name, values] = [field.replace("_uses", ""), days.map((day) => day[field])];
    const most = Math.max(...values);
    return `${name.padEnd(6)}  ${sparkline(values, terminal.columns - 24)}  ${most === 0 ? "" : `most ${most} a day`}`.trimEnd();
  });
  await terminal.write(`\n${days[0]!.day} to ${days.at(-1)!.day}\n${sparks.join("\n")}\n\n`);
  await printRows(context, { data: by_day, rows: by_day, columns: DAYS });
}

/** All days of the range, including those without an entry, oldest first. */
function eachDay(by_day: LedgerSummary["by_day"], from: string, to: string): LedgerSummary["by_day"] {
  const known = new Map(by_day.map((one) => [one.day, one]));
  const first = [from, ...known.keys()].reduce((one, other) => (one < other ? one : other));
  const last = [to, ...known.keys()].reduce((one, other) => (one > other ? one : other));
  const days: LedgerSummary["by_day"][number][] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10);
    days.push(known.get(day) ?? { day, earned: 0, spent: 0, free_uses: 0, entries: 0 });
  }
  return days;
}
