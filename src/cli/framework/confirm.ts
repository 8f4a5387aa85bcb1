import { userInfo } from "node:os";
import { UsageError } from "./command-failure.ts";
import type { Context } from "./command-context.ts";
import { optional, required, text } from "../params/param.ts";

export const operatorFlags = { reason: required(text(200)), actor: { ...optional(text(128)), missing: osUser } };

function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`; // A container's user may have no name.
  }
}

type Question = string | (() => Promise<string>); // A function if it is slow to make.

/** Asks for confirmation on a terminal; elsewhere the command line counts as that. @throws CommandFailure on a no */
export async function confirmChange(context: Context, yes: boolean, question: Question): Promise<void> {
  if (context.terminal.canPrompt || context.io.hosted?.ask !== undefined)
    await confirmUnlessYes(context, yes, question);
}

/** Asks for confirmation of a change that cannot be undone, as moving points. @throws CommandFailure on a no
 * @throws UsageError without a terminal and --yes */
export async function confirmUnlessYes(context: Context, yes: boolean, question: Question): Promise<void> {
  if (yes) return;
  const ask = context.io.hosted?.ask;
  if (ask === undefined && !context.terminal.canPrompt)
    throw new UsageError("Nothing was changed: there is no terminal to ask on, so confirm with --yes.");
  const message = typeof question === "string" ? question : await question();
  ask?.(message);
  await (await import("../terminal/prompt.ts")).confirmOrFail(message, context);
}
