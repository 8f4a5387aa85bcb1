import { defineCommand, EXIT, UsageError, type Context, type ExitCode } from "../../framework/command.ts";
import { optional, userParam, anyText, idempotencyKey, integer, toggle } from "../../params/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { runOperation, withOperations, withSession } from "../../target/operations.ts";
import type { RawInput } from "../../../contract/validation/validate-request.ts";
import type { Call, Outcome } from "../../../service/operation.ts";
import { cleanLine, cleanText } from "../../terminal/clean-text.ts";

const NO_CONVERSATION =
  "with an operator's token it is one question at a time; a conversation takes the user's own token, or the storage";

export const command = defineCommand("ask", {
  arguments: { question: { ...optional(anyText), operatorsNeed: NO_CONVERSATION } },
  options: {
    user: userParam(),
    session: optional(integer()),
    tokenSymbol: optional(anyText),
    pageContext: optional(anyText),
    idempotencyKey: optional(idempotencyKey),
    explain: { ...toggle(), isLocal: true },
  },
  async run({ question, user, session, tokenSymbol, pageContext, idempotencyKey: key, explain }, context) {
    const place = { token_symbol: tokenSymbol, page_context: pageContext };
    if (question === undefined) {
      if (!context.terminal.canPrompt || context.globals.format !== undefined || key !== undefined)
        throw new UsageError("QUESTION is missing: 1 to 2000 characters.");
      return withOperations(context, user, ({ run }) => {
        const ask: Ask = (asked, session_id) => run("sendChat", { body: { question: asked, session_id, ...place } });
        return converse(context, session, ask);
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

type Answer = Outcome<"sendChat">["data"];

const sourcesOf = ({ source_items }: Answer): string[] =>
  source_items.map(({ title, url }, index) => `[${index + 1}] ${cleanLine(`${title} ${url}`)}`);

const costOf = ({ points_cost, credits_remaining }: Answer): string =>
  `${points_cost} ${points_cost === 1 ? "point" : "points"}, ${credits_remaining} left`;

async function printAnswer({ terminal }: Context, data: Answer): Promise<void> {
  const sources = sourcesOf(data);
  const parts = [cleanText(data.answer), ...(sources.length === 0 ? [] : [sources.join("\n")])];
  if (terminal.interactive) {
    const { route, sub_intent, session_id } = data;
    parts.push(terminal.paint("dim", `${costOf(data)} · ${route}/${sub_intent} · session ${session_id}`));
  }
  await terminal.write(`${parts.join("\n\n")}\n`);
}

const COMMANDS = "/sources shows what the last answer quotes, /new begins another session, /quit or Ctrl-D ends.";

type Ask = (question: string, session: number | undefined) => Promise<Outcome<"sendChat">>;

/** Answers questions from the terminal in one session until the input ends. Ctrl-C while one is typed ends it like
 * Ctrl-D; while an answer is awaited, with the code of an interrupt. @param ask asks in a session, or in a new one */
async function converse({ io, terminal }: Context, first: number | undefined, ask: Ask): Promise<ExitCode> {
  const { createInterface } = await import("node:readline"); // Loaded on demand: most questions are asked alone.
  const lines = createInterface({ input: io.stdin, output: io.stderr, terminal: true, prompt: "> " });
  const chat: { session: number | undefined; last?: Answer | undefined } = { session: first };
  let interrupt: (() => void) | undefined;
  lines.on("SIGINT", () => (interrupt === undefined ? lines.close() : interrupt()));

  async function answer(question: string): Promise<boolean> {
    const interrupted = new Promise<undefined>((resolve) => (interrupt = () => resolve(undefined)));
    terminal.progress("answering, Ctrl-C ends");
    const outcome = await Promise.race([ask(question, chat.session), interrupted]).finally(() => terminal.progress(""));
    interrupt = undefined;
    if (outcome === undefined) return false;
    const { data } = outcome;
    [chat.session, chat.last] = [data.session_id, data];
    const count = sourcesOf(data).length;
    const hint = count === 0 ? "" : terminal.paint("dim", `\n/sources: ${count}`);
    await terminal.write(`${cleanText(data.answer)}${hint}\n`);
    lines.setPrompt(`[${costOf(data)}] > `);
    return true;
  }

  terminal.say(COMMANDS);
  try {
    lines.prompt();
    for await (const typed of lines) {
      const line = typed.trim();
      if (line === "/quit") break;
      if (line === "/sources") {
        const sources = chat.last === undefined ? [] : sourcesOf(chat.last);
        await terminal.write(`${sources.join("\n") || "The last answer has no sources."}\n`);
      } else if (line === "/new") {
        [chat.session, chat.last] = [undefined, undefined];
        terminal.say("The next question begins a new session.");
      } else if (line.startsWith("/")) terminal.say(COMMANDS);
      else if (line !== "") {
        try {
          if (!(await answer(line))) return EXIT.interrupted;
        } catch (error) {
          const { AnpError } = await import("../../../contract/errors.ts");
          if (!(error instanceof AnpError)) throw error; // A refused question does not end the conversation.
          interrupt = undefined;
          terminal.warn(error.message);
        }
      }
      lines.prompt();
    }
  } finally {
    lines.close();
  }
  return EXIT.ok;
}
