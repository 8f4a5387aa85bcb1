import type { FoundEntry } from "../../../admin/find-entry.ts";
import { cleanText } from "../../terminal/clean-text.ts";
import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { CommandFailure, EXIT } from "../../framework/exit.ts";
import { optional, required } from "../../framework/param.ts";
import { formatOf, printRecord } from "../../terminal/print.ts";
import { withAccounts } from "../../target/session.ts";
import { findUser } from "../../target/user-named.ts";
import { text } from "../../framework/value-readers.ts";
import { showAge, showLocal } from "../../framework/when.ts";

export const show = defineCommand({
  name: "show",
  summary: "Show an entry and the question that it charged for",
  description:
    "Show an entry and the question that it charged for, by the id of the request (the entry's ref_id), by the id of the " +
    "answer (message_id), or by the entry's number with --user. Without --user a ref_id is looked for in the ledgers of " +
    "all users.",
  arguments: { what: required("ID", "a ref_id, a message_id, or the number of an entry", text(128)) },
  options: { user: { ...optional("user", "whose entry it is", text(128)), holds: "user" } },
  examples: [
    "ledger show r0mwpfnc6pacn19nn5ugkcco7k --user alice",
    "ledger show 114634601860333",
    "ledger show 17 --user alice --json",
  ],
  async run({ what, user }, context) {
    const { terminal } = context;
    const found = await withAccounts(context, async ({ service }) => {
      const { findEntry } = await import("../../../admin/find-entry.ts");
      const who = user === undefined ? undefined : await findUser(service, user);
      return findEntry(service, what, who, (position, users) => {
        terminal.progress(`searching user ${position} of ${users}`);
      });
    });
    terminal.progress("");
    if (found === undefined) {
      const where = user === undefined ? "" : ` in the ledger of ${user}`;
      throw new CommandFailure(EXIT.notFound, `No entry of ${what} is${where === "" ? " known" : where}.`);
    }
    await print(context, found);
  },
});

async function print(context: Context, { entry, message }: FoundEntry): Promise<void> {
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
  const known = Object.fromEntries(Object.entries(charge).filter(([, value]) => value !== null));
  const age = showAge(created_at, context.clock.now());
  await printRecord(context, { ...known, created_at: `${showLocal(created_at)} (${age})` });
  if (message === undefined) return;
  const part = (title: string, words: string): string => `\n${terminal.paint("bold", title)}\n${cleanText(words)}\n`;
  await terminal.write(part("question", message.question) + part("answer", message.answer));
}
