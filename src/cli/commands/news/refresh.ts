import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import { among } from "../../framework/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { runOperation } from "../../target/operations.ts";

export const refresh = defineCommand({
  name: "refresh",
  summary: "Read the sources and publish a snapshot",
  description:
    "Read the sources and publish a snapshot. `view` reads the news; `full` also reads notices, help center and " +
    "sentiment, and may take long. On the storage, the exit code is 8 when some sources failed and 6 when all failed.",
  arguments: {},
  options: { mode: among("mode", "view or full; view when left out", refreshModes) },
  target: "either",
  examples: ["news refresh", "news refresh --mode full --json"],
  async run({ mode }, context) {
    const { terminal } = context;
    let failed: string[] = [];
    let read = 0;
    const { data } = await runOperation(context, "refreshNews", {
      input: { query: { mode } },
      before() {
        terminal.progress("reading the sources");
        return Promise.resolve();
      },
      async after({ session }) {
        // The API does not report the state of the sources.
        if (session === undefined) return;
        const { sources } = await session.service.news.status();
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

async function refreshModes(): Promise<readonly string[]> {
  const { refreshQuery } = await import("../../../contract/schemas/news-schemas.ts");
  return refreshQuery.shape.mode.unwrap().options;
}
