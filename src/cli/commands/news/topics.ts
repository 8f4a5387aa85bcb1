import type { OperationData } from "../../../contract/endpoints.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { optional } from "../../framework/param.ts";
import type { Column } from "../../terminal/column.ts";
import { printRows, showInstant } from "../../terminal/print.ts";
import { runOperation } from "../../target/operations.ts";
import { anything, integer } from "../../framework/value-readers.ts";

type Topic = OperationData<"getNewsTopics">["topics"][number];

const COLUMNS: readonly Column<Topic>[] = [
  { name: "heat", of: ({ heat }) => heat, show: ({ heat }) => heat.toFixed(1) },
  { name: "size", of: ({ size }) => size },
  { name: "lang", of: ({ lang }) => lang },
  {
    name: "last_seen_at",
    of: ({ last_seen_at }) => last_seen_at,
    show: ({ last_seen_at }) => showInstant(last_seen_at),
  },
  { name: "title", of: ({ title }) => title, wide: true },
];

export const topics = defineCommand({
  name: "topics",
  summary: "Show clustered news topics, hottest first",
  description: "Show clustered news topics, hottest first. JSON includes their items and suggested questions.",
  arguments: {},
  options: {
    limit: optional("n", "topics, 1 to 50; 5 when left out", integer()),
    lang: optional("lang", "language, zh when left out", anything),
  },
  target: "either",
  examples: ["news topics --lang en", "news topics --limit 20 --json"],
  async run({ limit, lang }, context) {
    const { data } = await runOperation(context, "getNewsTopics", { input: { query: { limit, lang } } });
    await printRows(context, { data, rows: data.topics, columns: COLUMNS });
    if (data.total === 0)
      context.terminal.say("There are no topics. `anp news refresh --mode full` reads the sources.");
  },
});
