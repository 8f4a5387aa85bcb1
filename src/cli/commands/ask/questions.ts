import type { Context } from "../../framework/command-context.ts";
import { defineCommand } from "../../framework/define-command.ts";
import { UsageError } from "../../framework/command-failure.ts";
import { optional, word, integer, userId } from "../../params/param.ts";
import { since } from "../../framework/time-format.ts";
import { findUser, runOperation, withAccounts } from "../../target/operations.ts";
import { columnsOf, timeColumn } from "../../terminal/column.ts";
import { printRows } from "../../terminal/print.ts";
import { repeatColumns } from "../ledger/ledger-columns.ts";
import { DEFAULT_RANGE } from "../ledger/selection-flags.ts";

const ASKED = 20;

export const command = defineCommand("questions", {
  arguments: { user: optional(userId, "user") },
  options: { scene: optional(word), lang: optional(word), since: optional(since), limit: optional(integer(1)) },
  async run({ user, scene, lang, since: from = since(DEFAULT_RANGE), limit }, context) {
    if (user !== undefined) return listAsked(context, user, from, limit ?? ASKED);
    const input = { query: { scene, lang, limit } };
    const { data } = await runOperation(context, "getRecommendedQuestions", { input });
    const columns = [{ name: "order_index" }, { name: "content", wide: true }] as const;
    const none = "There are no recommended questions (assistant.questions).";
    await printRows(context, { data, rows: data.questions, columns, none });
  },
});

async function listAsked(context: Context, typed: string, from: ReturnType<typeof since>, most: number): Promise<void> {
  if (context.daemon !== undefined)
    throw new UsageError("The questions of a user are read from the storage: give --storage.");
  await withAccounts(context, async ({ service, zone }) => {
    const { askedQuestions } = await import("../../../admin/search-ledgers.ts");
    const user = await findUser(context, service, typed);
    const rows = await askedQuestions(service, user, { most, since: from(context.clock.now(), zone) });
    const columns = columnsOf<(typeof rows)[number]>(
      { name: "message_id", machine: true },
      timeColumn("created_at", zone),
      "entry",
      { name: "points_cost", title: "points" },
      { name: "free_use", title: "free", show: ({ free_use }) => (free_use ? "yes" : "") },
      "feedback",
      { name: "route", spare: true },
      ...repeatColumns,
      { name: "ref_id", machine: true },
      { name: "question", wide: true },
    );
    await printRows(context, { rows, columns, none: "No question was answered in this time." });
  });
}
