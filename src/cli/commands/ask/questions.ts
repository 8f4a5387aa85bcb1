import { defineCommand, UsageError, type Context } from "../../framework/command.ts";
import { optional, word, integer, userId } from "../../params/param.ts";
import type { When } from "../../framework/time-format.ts";
import { findUser, runOperation, withAccounts } from "../../target/operations.ts";
import { printTable } from "../../terminal/print.ts";
import { recentFlags } from "../ledger/selection-flags.ts";

export const command = defineCommand("questions", {
  arguments: { user: optional(userId, "user") },
  options: { scene: optional(word), lang: optional(word), since: recentFlags.since, limit: optional(integer(1)) },
  async run({ user, scene, lang, since, limit }, context) {
    if (user !== undefined) return listAsked(context, user, since, limit ?? 20);
    const input = { query: { scene, lang, limit } };
    const { data } = await runOperation(context, "getRecommendedQuestions", { input });
    await printTable(context, { table: "recommended questions", data, rows: data.questions });
  },
});

async function listAsked(context: Context, typed: string, since: When, most: number): Promise<void> {
  if (context.daemon !== undefined)
    throw new UsageError("The questions of a user are read from the storage: give --storage.");
  await withAccounts(context, async ({ service, zone }) => {
    const { askedQuestions } = await import("../../../admin/search-ledgers.ts");
    const user = await findUser(context, service, typed);
    const rows = await askedQuestions(service, user, { most, since: since(context.clock.now(), zone) });
    await printTable(context, { table: "asked questions", rows, zone });
  });
}
