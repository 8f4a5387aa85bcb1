import type { OperationData } from "../../contract/endpoints.ts";
import { cleanLine, cleanText } from "../terminal/clean-text.ts";
import type { Context } from "../framework/command-context.ts";
import { defineCommand } from "../framework/define-command.ts";
import { optional, required, userParam, anything, idempotencyKey, integer } from "../framework/param.ts";
import { printRecord } from "../terminal/print.ts";
import { runOperation } from "../target/operations.ts";

export const command = defineCommand({
  arguments: { question: required("QUESTION", "1 to 2000 characters", anything) },
  options: {
    user: userParam("user", "id of the user who asks"),
    session: optional("id", "session to continue", integer()),
    tokenSymbol: optional("symbol", "asset the user is looking at", anything),
    pageContext: optional("scene", "scene the user is in", anything),
    idempotencyKey: optional("key", "a repeat with the same key and question returns the first answer", idempotencyKey),
  },
  target: "either",
  fields: { question: "QUESTION", session_id: "--session" },
  async run({ question, user, session, tokenSymbol, pageContext, idempotencyKey: key }, context) {
    const body = { question, session_id: session, token_symbol: tokenSymbol, page_context: pageContext };
    const { data } = await runOperation(context, "sendChat", { user, idempotencyKey: key, input: { body } });
    if (context.globals.format === undefined) await printAnswer(context, data);
    else await printRecord(context, data);
  },
});

/** Prints the answer, then its sources; on a terminal also its cost. */
async function printAnswer({ terminal }: Context, data: OperationData<"sendChat">): Promise<void> {
  const sources = data.source_items.map(({ title, url }, index) => `[${index + 1}] ${cleanLine(`${title} ${url}`)}`);
  const parts = [cleanText(data.answer), ...(sources.length === 0 ? [] : [sources.join("\n")])];
  if (terminal.interactive) {
    const { points_cost, credits_remaining, route, sub_intent, session_id } = data;
    const cost = `${points_cost} ${points_cost === 1 ? "point" : "points"}, ${credits_remaining} left`;
    parts.push(terminal.paint("dim", `${cost} · ${route}/${sub_intent} · session ${session_id}`));
  }
  await terminal.write(`${parts.join("\n\n")}\n`);
}
