import { defineCommand, UsageError } from "../../framework/command.ts";
import { optional, word, integer, userId } from "../../params/param.ts";
import { findUser, runOperation, withAccounts } from "../../target/operations.ts";
import { printTable } from "../../terminal/print.ts";
import { recentFlags } from "../ledger/selection-flags.ts";

export const command = defineCommand("questions", {
  arguments: { user: optional(userId, "user") },
  options: { scene: optional(word), lang: optional(word), since: recentFlags.since, limit: optional(integer(1)) },
  async run({ user: typed, scene, lang, since, limit }, context) {
    if (typed === undefined) {
      const input = { query: { scene, lang, limit } };
      const { data } = await runOperation(context, "getRecommendedQuestions", { input });
      return void (await printTable(context, { table: "recommended questions", data, rows: data.questions }));
    }
    if (context.daemon !== undefined)
      throw new UsageError("The questions of a user are read from the storage: give --storage.");
    await withAccounts(context, async ({ service, zone }) => {
      const { askedQuestions } = await import("../../../admin/search-ledgers.ts");
      const user = await findUser(context, service, typed);
      const range = { limit: limit ?? 20, since: since(context.clock.now(), zone) };
      await printTable(context, { table: "asked questions", rows: await askedQuestions(service, user, range), zone });
    });
  },
});
