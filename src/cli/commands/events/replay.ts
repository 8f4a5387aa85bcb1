import { defineCommand } from "../../command.ts";
import { CommandFailure, EXIT } from "../../exit.ts";
import { required, toggle } from "../../param.ts";
import { printRecord } from "../../print.ts";
import { withSession } from "../../session.ts";
import { text } from "../../values.ts";
import { openLines } from "./lines.ts";

export const replay = defineCommand({
  name: "replay",
  summary: "Store events of an export, each exactly once",
  description:
    "Store events of an export, one JSON object a line, each exactly once however often it is replayed. Lines that are " +
    "no events are rejected and named on stderr; the exit code is 8 then.",
  arguments: { file: required("FILE", "file of JSON lines, - for stdin", text(4096)) },
  options: { dryRun: toggle("tell what would be stored and write nothing") },
  examples: ["events replay events.ndjson --dry-run", "events export | anp events replay - --storage fs:./copy"],
  async run({ file, dryRun }, context) {
    const { terminal } = context;
    const lines = await openLines(file);
    const report = await withSession(
      context,
      ({ service }) =>
        service.events.replay(lines, {
          dryRun,
          onProgress: ({ read }) => {
            terminal.progress(`${read} events read`);
          },
        }),
      { create: true },
    );
    terminal.progress("");
    const { read, stored, skipped, rejected_total, rejected } = report;
    await printRecord(context, context.globals.format === "json" ? report : { read, stored, skipped, rejected_total });
    if (rejected_total === 0) return;
    const named = rejected.map(({ line, reason }) => `line ${line}: ${reason}`);
    const more = rejected_total > rejected.length ? [`and ${rejected_total - rejected.length} more`] : [];
    throw new CommandFailure(EXIT.partial, [`${rejected_total} lines were rejected.`, ...named, ...more].join("\n"));
  },
});
