import type { Context } from "./command-context.ts";
import { toggle, type Param } from "./param.ts";

/** The flag of commands that ask for confirmation. */
export const yesFlag: Param<boolean> = toggle("do not ask for confirmation");

/**
 * Asks for confirmation before a change. Without a terminal, the command line itself is the confirmation.
 *
 * @throws CommandFailure when the answer is no
 */
export async function confirmChange(context: Context, yes: boolean, message: string | (() => Promise<string>)) {
  if (yes || !context.terminal.canPrompt) return;
  const { askToGoOn } = await import("../terminal/prompt.ts");
  await askToGoOn(typeof message === "string" ? message : await message(), context);
}
