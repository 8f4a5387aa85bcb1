import { defineCommand } from "../framework/define-command.ts";
import { optional, anything, integer } from "../framework/param.ts";
import { printRows } from "../terminal/print.ts";
import { runOperation } from "../target/operations.ts";

export const command = defineCommand({
  options: {
    scene: optional("scene", "scene, home when left out", anything),
    lang: optional("lang", "language, zh when left out", anything),
    limit: optional("n", "questions, 1 to 20; 6 when left out", integer()),
  },
  target: "either",
  async run({ scene, lang, limit }, context) {
    const input = { query: { scene, lang, limit } };
    const { data } = await runOperation(context, "getRecommendedQuestions", { input });
    const columns = [{ name: "order_index" }, { name: "content", wide: true }] as const;
    await printRows(context, { data, rows: data.questions, columns });
    if (data.questions.length === 0) context.terminal.say("There are no recommended questions (assistant.questions).");
  },
});
