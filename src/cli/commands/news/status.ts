import type { SourceStatus } from "../../../news/news.ts";
import { defineCommand } from "../../framework/define-command.ts";
import type { Column } from "../../terminal/column.ts";
import { formatOf, printRows, showInstant } from "../../terminal/print.ts";
import { withSession } from "../../target/session.ts";

const COLUMNS: readonly Column<SourceStatus>[] = [
  { name: "id", of: ({ id }) => id },
  { name: "kind", of: ({ kind }) => kind },
  {
    name: "state",
    of: ({ ok }) => (ok ? "ok" : "failed"),
    show: ({ ok }, terminal) => (ok ? terminal.paint("green", "ok") : terminal.paint("red", "failed")),
  },
  { name: "items", of: ({ items }) => items },
  { name: "last_ok_at", of: ({ last_ok_at }) => last_ok_at, show: ({ last_ok_at }) => showInstant(last_ok_at) },
  { name: "url", of: ({ url }) => url, machine: true },
  { name: "last_error", of: ({ last_error }) => last_error, wide: true },
];

export const status = defineCommand({
  name: "status",
  summary: "Show the newest snapshot and the state of its sources",
  arguments: {},
  options: {},
  examples: ["news status", "news status --json"],
  async run(_values, context) {
    const data = await withSession(context, ({ service }) => service.news.status());
    await printRows(context, { data, rows: data.sources, columns: COLUMNS });
    const { version, published_at, items, topics, notices, help } = data;
    if (version === 0) context.terminal.say("No snapshot yet. `anp news refresh --mode full` publishes one.");
    else if (formatOf(context) === "table") {
      const counts = `${items} items, ${topics} topics, ${notices} notices, ${help} help articles`;
      await context.terminal.write(`\nSnapshot ${version} of ${showInstant(published_at)}: ${counts}.\n`);
    }
  },
});
