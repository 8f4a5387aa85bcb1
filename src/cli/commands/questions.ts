import type { OperationData } from "../../contract/endpoints.ts";
import { defineCommand } from "../framework/define-command.ts";
import { optional } from "../framework/param.ts";
import type { Column } from "../terminal/column.ts";
import { printRows } from "../terminal/print.ts";
import { runOperation } from "../target/operations.ts";
import { anything, integer } from "../framework/value-readers.ts";

type Question = OperationData<"getRecommendedQuestions">["questions"][number];

const COLUMNS: readonly Column<Question>[] = [
  { name: "order_index", of: ({ order_index }) => order_index },
  { name: "content", of: ({ content }) => content, wide: true },
];

export const questions = defineCommand({
  name: "questions",
  summary: "Show the recommended questions of a scene",
  arguments: {},
  options: {
    scene: optional("scene", "scene, home when left out", anything),
    lang: optional("lang", "language, zh when left out", anything),
    limit: optional("n", "questions, 1 to 20; 6 when left out", integer()),
  },
  target: "either",
  examples: ["questions --lang en", "questions --scene trade --limit 3 --json"],
  async run({ scene, lang, limit }, context) {
    const input = { query: { scene, lang, limit } };
    const { data } = await runOperation(context, "getRecommendedQuestions", { input });
    await printRows(context, { data, rows: data.questions, columns: COLUMNS });
    if (data.questions.length === 0) context.terminal.say("There are no recommended questions (assistant.questions).");
  },
});
