import { defineCommand } from "../../framework/define-command.ts";
import { EXIT, UsageError } from "../../framework/command-failure.ts";
import { optional, userParam, anything, idempotencyKey, integer, toggle } from "../../params/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { runOperation, withOperations } from "../../target/operations.ts";
import { printAnswer } from "./show-answer.ts";

const NO_CONVERSATION =
  "with an operator's token it is one question at a time; a conversation takes the user's own token, or the storage";
const LENGTH = "1 to 2000 characters";

export const command = defineCommand("ask", {
  arguments: { question: { ...optional(anything), operatorsNeed: NO_CONVERSATION } },
  options: {
    user: userParam(),
    session: optional(integer()),
    tokenSymbol: optional(anything),
    pageContext: optional(anything),
    idempotencyKey: optional(idempotencyKey),
    explain: { ...toggle(), isLocal: true },
  },
  async run({ question, user, session, tokenSymbol, pageContext, idempotencyKey: key, explain }, context) {
    const place = { token_symbol: tokenSymbol, page_context: pageContext };
    if (question === undefined) {
      if (!context.terminal.canPrompt || context.globals.format !== undefined || key !== undefined)
        throw new UsageError(`QUESTION is missing: ${LENGTH}.`);
      const { converse } = await import("./converse.ts");
      return withOperations(context, user, ({ run }) => {
        const ask = (question: string, session_id: number | undefined) =>
          run("sendChat", { body: { question, session_id, ...place } });
        return converse(context, session, ask);
      });
    }
    const body = { question, session_id: session, ...place };
    if (explain) return (await import("./explain.ts")).askAndExplain(context, user, { body }, key);
    const { data } = await runOperation(context, "sendChat", { user, idempotencyKey: key, input: { body } });
    if (context.globals.format === undefined) await printAnswer(context, data);
    else await printRecord(context, data);
    return EXIT.ok;
  },
});
