import { defineCommand, defineGroup } from "../../framework/define-command.ts";
import { withSession } from "../../target/operations.ts";
import { printLines } from "../../terminal/print.ts";
import { dayRangeFlags, inDayRange } from "./day-range.ts";
import { record } from "./record.ts";
import { replay } from "./replay.ts";
import { stats } from "./stats.ts";

const exportEvents = defineCommand({
  summary: "Print events as JSON lines",
  options: dayRangeFlags,
  formats: ["jsonl"],
  async run(range, context) {
    await inDayRange(range, async (onDamage) => {
      await withSession(context, ({ service }) => printLines(context, service.events.export(range, onDamage)));
    });
  },
});

export const command = defineGroup({ record, replay, export: exportEvents, stats });
