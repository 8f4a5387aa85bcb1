import { defineCommand } from "../../framework/command.ts";
import { optional, integer, word } from "../../params/param.ts";
import { showInstant } from "../../framework/time-format.ts";
import { formatOf, printTable } from "../../terminal/print.ts";
import { runOperation } from "../../target/operations.ts";

export const command = defineCommand("hot-topics", {
  options: { days: optional(integer()), limit: optional(integer()), lang: optional(word) },
  async run(query, context) {
    const { data } = await runOperation(context, "getHotTopics", { input: { query } });
    const { topics, user_hot_questions: questions } = data;
    const rows = [
      ...topics.map(({ topic: text, heat: weight, trend }) => ({ kind: "topic", weight, text, trend })),
      ...questions.map(({ question: text, count: weight }) => ({ kind: "question", weight, text, trend: "" })),
    ];
    await printTable(context, { table: "hot topics", data, rows });
    const { dominant, positive, neutral, negative, index } = data.sentiment_overview;
    const { source, stale, last_refresh_at } = data.refresh_meta;
    if (formatOf(context) === "table") {
      const sentiment = `${dominant} (${positive} positive, ${neutral} neutral, ${negative} negative; index ${index ?? "-"})`;
      await context.terminal.write(`\nSentiment: ${sentiment}. Refreshed: ${showInstant(last_refresh_at)}.\n`);
    }
    if (source === "fallback") context.terminal.say("No live data: this is the fallback snapshot.");
    else if (stale) context.terminal.say("The snapshot is old. `anp news refresh` publishes a new one.");
  },
});
