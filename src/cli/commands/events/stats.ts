import type { EventStats } from "../../../events/projections/event-stats.ts";
import { defineCommand } from "../../framework/define-command.ts";
import type { Column } from "../../terminal/column.ts";
import { formatOf, printRows } from "../../terminal/print.ts";
import { withSession } from "../../target/session.ts";
import { checkDayRange, dayRangeFlags } from "./day-range.ts";

interface Row {
  readonly by: "type" | "day" | "feedback";
  readonly name: string;
  readonly count: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { name: "by", of: ({ by }) => by },
  { name: "name", of: ({ name }) => name, wide: true },
  { name: "count", of: ({ count }) => count },
];

export const stats = defineCommand({
  name: "stats",
  summary: "Count events by type, day and feedback",
  arguments: {},
  options: dayRangeFlags,
  examples: ["events stats", "events stats --from 2026-11-18 --json"],
  async run(range, context) {
    checkDayRange(range);
    const data = await withSession(context, ({ service }) => service.events.stats(range));
    await printRows(context, { data, rows: toRows(data), columns: COLUMNS });
    if (formatOf(context) === "table") {
      await context.terminal.write(`\n${data.events} events of ${data.users} users.\n`);
    }
  },
});

function toRows({ by_type, by_day, feedback }: EventStats): Row[] {
  return [
    ...by_type.map(({ event_type, count }): Row => ({ by: "type", name: event_type, count })),
    ...by_day.map(({ day: name, count }): Row => ({ by: "day", name, count })),
    { by: "feedback", name: "helpful", count: feedback.helpful },
    { by: "feedback", name: "inaccurate", count: feedback.inaccurate },
  ];
}
