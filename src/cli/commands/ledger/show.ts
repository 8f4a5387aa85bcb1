import type { FoundEntry } from "../../../admin/find-entry.ts";
import { cleanText } from "../../terminal/clean-text.ts";
import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import { optional, required, text } from "../../framework/param.ts";
import { formatOf, printRecord } from "../../terminal/print.ts";
import { withAccounts, findUser } from "../../target/operations.ts";
import { showAge, showLocal } from "../../framework/time-format.ts";

export const show = defineCommand({
  summary: "Show an entry and the question that it charged for",
  arguments: { id: required("ID", "a ref_id, a message_id, or the number of an entry", text(128)) },
  options: { user: optional("user", "user of the entry", text(128), "user") },
  async run({ id, user }, context) {
    const { terminal } = context;
    const found = await withAccounts(context, async ({ service }) => {
      const { findEntry } = await import("../../../admin/find-entry.ts");
      const who = user === undefined ? undefined : await findUser(service, user);
      return findEntry(service, id, who, (position, users) => {
        terminal.progress(`searching user ${position} of ${users}`);
      });
    });
    terminal.progress("");
    if (found === undefined) {
      const where = user === undefined ? "any ledger" : `the ledger of ${user}`;
      throw new CommandFailure(EXIT.notFound, `${id} was not found in ${where}.`);
    }
    await printEntry(context, found);
  },
});

async function printEntry(context: Context, { entry, message }: FoundEntry): Promise<void> {
  const { id, user_id, created_at, type, delta, account, description, ref_id, details } = entry;
  const charge = {
    user_id,
    entry_id: id,
    created_at,
    type,
    delta,
    balance_after: account.balance,
    free_use: details.type === "chat_cost" && details.free,
    description,
    ref_id,
    message_id: message?.message_id ?? null,
    session_id: message?.session_id ?? null,
    route: message === undefined ? null : `${message.route}/${message.sub_intent}`,
    model_name: message?.model_name ?? null,
  };
  const { terminal } = context;
  if (formatOf(context) !== "table") {
    await printRecord(context, { ...charge, question: message?.question ?? null, answer: message?.answer ?? null });
    return;
  }
  const shown = Object.fromEntries(Object.entries(charge).filter(([, value]) => value !== null));
  const age = showAge(created_at, context.clock.now());
  await printRecord(context, { ...shown, created_at: `${showLocal(created_at)} (${age})` });
  if (message === undefined) return;
  const section = (title: string, text: string): string => `\n${terminal.paint("bold", title)}\n${cleanText(text)}\n`;
  await terminal.write(section("question", message.question) + section("answer", message.answer));
}
