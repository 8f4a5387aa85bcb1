import { defineCommand } from "../../framework/define-command.ts";
import { UsageError } from "../../framework/exit.ts";
import { optional } from "../../framework/param.ts";
import { withSession } from "../../target/session.ts";
import { day } from "../../framework/value-readers.ts";

/** Characters that are written together. */
const BATCH = 32 * 1024;

export const exportEvents = defineCommand({
  name: "export",
  summary: "Print events as JSON lines",
  description: "Print events as JSON lines in the order of the log, of any number in flat memory. `replay` reads them.",
  arguments: {},
  options: {
    from: optional("day", "first UTC day, as 2026-11-20", day),
    to: optional("day", "last UTC day, included", day),
  },
  examples: ["events export > events.ndjson", "events export --from 2026-11-18 --to 2026-11-20 | head"],
  formats: ["jsonl"],
  async run({ from, to }, context) {
    if (from !== undefined && to !== undefined && from > to) throw new UsageError("--from must not be after --to.");
    await withSession(context, async ({ service }) => {
      let waiting = "";
      for await (const line of service.events.export({ from, to })) {
        waiting += `${line}\n`;
        if (waiting.length < BATCH) continue;
        if (!(await context.terminal.write(waiting))) return;
        waiting = "";
      }
      await context.terminal.write(waiting);
    });
  },
});
