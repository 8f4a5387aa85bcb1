import { defineCommand } from "../../framework/define-command.ts";
import { withSession } from "../../target/session.ts";
import { printLines } from "../../terminal/print-lines.ts";
import { checkDayRange, dayRangeFlags } from "./day-range.ts";

export const exportEvents = defineCommand({
  name: "export",
  summary: "Print events as JSON lines",
  description: "Print events as JSON lines in log order, in constant memory. `anp events replay` reads them.",
  arguments: {},
  options: dayRangeFlags,
  examples: ["events export > events.ndjson", "events export --from 2026-11-18 --to 2026-11-20 | head"],
  formats: ["jsonl"],
  async run(range, context) {
    checkDayRange(range);
    await withSession(context, ({ service }) => printLines(context, service.events.export(range)));
  },
});
