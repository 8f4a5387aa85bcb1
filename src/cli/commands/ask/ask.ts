import { defineCommand, EXIT, UsageError, type Context } from "../../framework/command.ts";
import { optional, userParam, anything, idempotencyKey, integer, toggle } from "../../params/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { runOperation, withOperations, withSession } from "../../target/operations.ts";
import { printAnswer, type Answer } from "./show-answer.ts";
import type { RawInput } from "../../../contract/validation/validate-request.ts";
import type { Call } from "../../../service/operation.ts";
import { cleanText } from "../../terminal/clean-text.ts";

const NO_CONVERSATION =
  "with an operator's token it is one question at a time; a conversation takes the user's own token, or the storage";

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
        throw new UsageError("QUESTION is missing: 1 to 2000 characters.");
      return withOperations(context, user, async ({ run }) => {
        const ask = (question: string, session_id: number | undefined) =>
          run("sendChat", { body: { question, session_id, ...place } });
        return (await import("./converse.ts")).converse(context, session, ask);
      });
    }
    const body = { question, session_id: session, ...place };
    if (explain) return askAndExplain(context, user, { body }, key);
    const { data } = await runOperation(context, "sendChat", { user, idempotencyKey: key, input: { body } });
    await (context.globals.format === undefined ? printAnswer : printRecord)(context, data);
    return EXIT.ok;
  },
});

async function askAndExplain(context: Context, user: string | undefined, input: RawInput, key?: string) {
  const { daemon, globals, terminal } = context;
  if (globals.format !== undefined && globals.format !== "json") throw new UsageError("--explain is a text or --json.");
  if (daemon !== undefined) throw new UsageError("An answer is explained on the storage: give --storage.");
  let explanation: Parameters<NonNullable<Call["explain"]>>[0] | undefined;
  const { stringify } = await import("yaml"); // Loaded on demand: most questions are not explained.
  const show = async (answer: Answer | undefined): Promise<void> => {
    if (globals.format === undefined) {
      if (answer !== undefined) await printAnswer(context, answer);
      const text = explanation ?? "Nothing was computed: the answer is that of an earlier call, or was refused before.";
      await terminal.write(`\n${cleanText(stringify({ explanation: text, cost: answer?.points_cost ?? 0 }))}`);
    } else await terminal.write(`${JSON.stringify({ ...answer, explanation: explanation ?? null }, null, 2)}\n`);
  };
  const answer = await withSession(context, async ({ service, activeCallOf }) => {
    const call = { ...(await activeCallOf(user!, key)), explain: (found: typeof explanation) => (explanation = found) };
    return service.run("sendChat", call, input);
  }).catch(async (error: unknown) => {
    if (explanation !== undefined) await show(undefined);
    throw error;
  });
  await show(answer.data);
  return EXIT.ok;
}
