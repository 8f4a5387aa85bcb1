import { stringify } from "yaml";
import type { RawInput } from "../../../contract/validation/validate-request.ts";
import type { Call } from "../../../service/operation.ts";
import type { Context } from "../../framework/command-context.ts";
import { EXIT, UsageError } from "../../framework/command-failure.ts";
import { withSession } from "../../target/operations.ts";
import { cleanText } from "../../terminal/clean-text.ts";
import { printAnswer, type Answer } from "./show-answer.ts";

/** Asks a question on the storage, and shows how its answer, or its failure, came about. */
export async function askAndExplain(context: Context, user: string | undefined, input: RawInput, key?: string) {
  const { daemon, globals, terminal } = context;
  if (globals.format !== undefined && globals.format !== "json") throw new UsageError("--explain is a text or --json.");
  if (daemon !== undefined) throw new UsageError("An answer is explained on the storage: give --storage.");
  let explanation: Parameters<NonNullable<Call["explain"]>>[0] | undefined;
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
