import type { OperationData } from "../../../contract/endpoints.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { optional } from "../../framework/param.ts";
import type { Column } from "../../terminal/column.ts";
import { printRows, showInstant } from "../../terminal/print.ts";
import { runOperation } from "../../target/operations.ts";
import { integer } from "../../framework/value-readers.ts";

type Item = OperationData<"getNewsHot">["news"][number];

const COLUMNS: readonly Column<Item>[] = [
  {
    name: "published_at",
    of: ({ published_at }) => published_at,
    show: ({ published_at }) => showInstant(published_at),
  },
  { name: "source", of: ({ source }) => source },
  { name: "lang", of: ({ lang }) => lang, machine: true },
  { name: "sentiment", of: ({ sentiment }) => sentiment, machine: true },
  { name: "symbols", of: ({ symbols }) => symbols },
  { name: "title", of: ({ title }) => title, wide: true },
  { name: "url", of: ({ url }) => url, machine: true },
];

export const hot = defineCommand({
  name: "hot",
  summary: "Show the latest news, newest first",
  arguments: {},
  options: {
    limit: optional("n", "items, 1 to 100; 10 when left out", integer()),
    hours: optional("n", "how far back, 1 to 720; 48 when left out", integer()),
  },
  target: "either",
  examples: ["news hot", "news hot --limit 50 --hours 24 --json"],
  async run({ limit, hours }, context) {
    const { data } = await runOperation(context, "getNewsHot", { input: { query: { limit, hours } } });
    await printRows(context, { data, rows: data.news, columns: COLUMNS });
    if (data.total === 0) context.terminal.say("There is no news. `anp news refresh --mode full` reads the sources.");
    else if (data.total > data.news.length) context.terminal.say(`${data.news.length} of ${data.total} items.`);
  },
});
