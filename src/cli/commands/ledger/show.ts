import { adjustmentOf, toLedgerRow } from "../../../admin/ledger-reader.ts";
import type { FoundEntry } from "../../../admin/find-entry.ts";
import type { FoundRow } from "../../../admin/search-ledgers.ts";
import { cleanText } from "../../terminal/clean-text.ts";
import { CommandFailure, defineCommand, EXIT, type Context } from "../../framework/command.ts";
import { name, optional, required, userId } from "../../params/param.ts";
import { formatOf, printRecord, printTable } from "../../terminal/print.ts";
import { entryCells } from "./ledger-columns.ts";
import { withAccounts, findUser } from "../../target/operations.ts";
import { showAge, showTime } from "../../framework/time-format.ts";

export const show = defineCommand("ledger show", {
  arguments: { id: required(name(128)) },
  options: { user: optional(userId, "user") },
  async run({ id, user }, context) {
    const { terminal } = context;
    await withAccounts(context, async ({ service, zone }) => {
      const { findEntries } = await import("../../../admin/find-entry.ts");
      const who = user === undefined ? undefined : await findUser(context, service, user);
      const found = await findEntries(service, id, who, (position, users) => {
        terminal.progress(`searching user ${position} of ${users}`);
      });
      terminal.progress("");
      const [first, ...others] = found;
      if (first === undefined) {
        const where = user === undefined ? "any ledger" : `the ledger of ${user}`;
        throw new CommandFailure(EXIT.notFound, `${id} was not found in ${where}.`);
      }
      if (others.length === 0) return printEntry(context, first, zone);
      const rows = found.map(({ entry }): FoundRow => ({ user_id: entry.user_id, ...toLedgerRow(entry) }));
      await printTable(context, { table: "found entries", rows, cells: entryCells(context.clock.now(), zone) });
      terminal.say(`${found.length} entries have this reference: show one by its number and --user.`);
    });
  },
});

async function printEntry(context: Context, { entry, message, reversed_by }: FoundEntry, zone: string): Promise<void> {
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
    ...adjustmentOf(entry),
    reversed_by,
    ref_id,
    message_id: message?.message_id ?? null,
    session_id: message?.session_id ?? null,
    route: message === undefined ? null : `${message.route}/${message.sub_intent}`,
    model_name: message?.model_name ?? null,
  };
  const { terminal } = context;
  const whole = { ...charge, question: message?.question ?? null, answer: message?.answer ?? null };
  if (formatOf(context) !== "table") return void (await printRecord(context, whole));
  const shown = Object.fromEntries(Object.entries(charge).filter(([, value]) => value !== null));
  const age = showAge(created_at, context.clock.now());
  await printRecord(context, { ...shown, created_at: `${showTime(created_at, zone)} ${zone} (${age})` });
  if (message === undefined) return;
  const section = (title: string, text: string): string => `\n${terminal.paint("bold", title)}\n${cleanText(text)}\n`;
  await terminal.write(section("question", message.question) + section("answer", message.answer));
}
