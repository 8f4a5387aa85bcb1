import { defineCommand, defineGroup } from "../../framework/define-command.ts";
import { anything, optional, word, integer } from "../../params/param.ts";
import type { News } from "../../../news/news.ts";
import type { Column } from "../../terminal/column.ts";
import { runOperation, withSession } from "../../target/operations.ts";
import { refresh } from "./refresh-command.ts";
import { sources } from "./sources-commands.ts";
import { formatOf, printRows, showInstant } from "../../terminal/print.ts";

const FILTER = {
  symbol: optional(word),
  source: optional(anything),
  category: optional(anything),
  query: optional(anything),
};

const hot = defineCommand("news hot", {
  options: { limit: optional(integer()), hours: optional(integer()), ...FILTER },
  async run({ query: q, ...query }, context) {
    const { data } = await runOperation(context, "getNewsHot", { input: { query: { ...query, q } } });
    await printRows(context, {
      data,
      rows: data.news,
      columns: [
        { name: "published_at", show: ({ published_at }) => showInstant(published_at) },
        { name: "source" },
        { name: "lang", machine: true },
        { name: "sentiment", machine: true },
        { name: "symbols" },
        { name: "title", wide: true },
        { name: "url", machine: true },
        { name: "author", machine: true },
      ],
      none: "There is no news. `anp news refresh --mode full` reads the sources.",
    });
    if (data.total > data.news.length) context.terminal.say(`${data.news.length} of ${data.total} items.`);
  },
});

const topics = defineCommand("news topics", {
  options: { limit: optional(integer()), lang: optional(word), ...FILTER },
  async run({ query: q, ...query }, context) {
    const { data } = await runOperation(context, "getNewsTopics", { input: { query: { ...query, q } } });
    await printRows(context, {
      data,
      rows: data.topics,
      columns: [
        { name: "heat", show: ({ heat }) => heat.toFixed(1) },
        { name: "size" },
        { name: "lang" },
        { name: "last_seen_at", show: ({ last_seen_at }) => showInstant(last_seen_at) },
        { name: "title", wide: true },
      ],
      none: "There are no topics. `anp news refresh --mode full` reads the sources.",
    });
  },
});

const status = defineCommand("news status", {
  async run(_values, context) {
    const data = await withSession(context, ({ service }) => service.news.status());
    await printRows(context, {
      data,
      rows: data.sources,
      columns: [
        { name: "id" },
        { name: "kind" },
        { name: "state", show: ({ ok, state }, terminal) => terminal.paint(ok ? "green" : "red", state) },
        { name: "items" },
        { name: "failures", spare: true },
        { name: "next_try_at", show: ({ next_try_at }) => showInstant(next_try_at), spare: true },
        { name: "http_status", title: "http", spare: true },
        { name: "last_ok_at", show: ({ last_ok_at }) => showInstant(last_ok_at) },
        ...COUNTS.map((name): Column<SourceRow> => ({ name, of: ({ last_read }) => last_read?.[name], machine: true })),
        { name: "unchanged", machine: true },
        { name: "last_read", of: lastRead, person: true, spare: true },
        { name: "url", machine: true },
        { name: "last_error", wide: true },
      ],
    });
    const { version, published_at, items, topics, notices, help } = data;
    if (version === 0) context.terminal.say("No snapshot yet. `anp news refresh --mode full` publishes one.");
    else if (formatOf(context) === "table") {
      const counts = `${items} items, ${topics} topics, ${notices} notices, ${help} help articles`;
      await context.terminal.write(`\nSnapshot ${version} of ${showInstant(published_at)}: ${counts}.\n`);
    }
  },
});

type SourceRow = Awaited<ReturnType<News["status"]>>["sources"][number];
const COUNTS = ["read", "kept", "cut", "old", "undated", "refused"] as const;

/** What the last read brought, as `12 read, 10 kept, 2 old`. */
function lastRead({ last_read, unchanged }: SourceRow): string {
  const counts = COUNTS.flatMap((name) => (last_read?.[name] ? `${last_read[name]} ${name}` : []));
  return [...counts, ...(unchanged === true ? ["unchanged"] : [])].join(", ");
}

export const command = defineGroup("news", { hot, topics, refresh, status, sources });
