import { defineCommand } from "../../command.ts";
import { CommandFailure, EXIT } from "../../exit.ts";
import { optional } from "../../param.ts";
import { printRecord } from "../../print.ts";
import { runOperation } from "../../session.ts";
import { anything } from "../../values.ts";

export const refresh = defineCommand({
  name: "refresh",
  summary: "Read the sources and publish a snapshot",
  description:
    "Read the sources and publish a snapshot: `view` the news, `full` also notices, help center and mood, which may take " +
    "long. Exit code 8 when some of the sources failed, 6 when all did.",
  arguments: {},
  options: { mode: optional("mode", "view or full; view when left out", anything) },
  examples: ["news refresh", "news refresh --mode full --json"],
  async run({ mode }, context) {
    const { terminal } = context;
    let failed: string[] = [];
    let read = 0;
    const { data } = await runOperation(context, "refreshNews", {
      input: { query: mode === undefined ? {} : { mode } },
      before() {
        terminal.progress("reading the sources");
        return Promise.resolve();
      },
      async after({ service }) {
        const { sources } = await service.news.status();
        read = sources.length;
        failed = sources.flatMap(({ id, ok, last_error }) => (ok ? [] : [`${id}: ${last_error ?? "failed"}`]));
      },
    });
    terminal.progress("");
    await printRecord(context, data);
    if (failed.length === 0) return;
    const exit = failed.length === read ? EXIT.unreachable : EXIT.partial;
    throw new CommandFailure(exit, `${failed.length} of ${read} sources failed.\n${failed.join("\n")}`);
  },
});
