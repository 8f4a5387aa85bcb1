import { CommandFailure, defineCommand, EXIT, UsageError, type Context } from "../../framework/command.ts";
import { optional, word, integer, toggle, userId } from "../../params/param.ts";
import { findUser, runOperation, withAccounts, withSession } from "../../target/operations.ts";
import { printTable } from "../../terminal/print.ts";
import { recentFlags } from "../ledger/selection-flags.ts";

export const command = defineCommand("questions", {
  arguments: { user: optional(userId, "user") },
  options: {
    scene: optional(word),
    lang: optional(word),
    since: recentFlags.since,
    limit: optional(integer(1)),
    check: { ...toggle(), isLocal: true },
  },
  async run({ user: typed, scene, lang, since, limit, check }, context) {
    if (check) return checkAll(context);
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

/** Prints how each recommended question is answered. @throws CommandFailure if one has no sure answer */
async function checkAll(context: Context): Promise<void> {
  if (context.daemon !== undefined) throw new UsageError("The answers are checked on the storage: give --storage.");
  const rows = await withSession(context, ({ service }) => service.checkRecommended());
  await printTable(context, { table: "checked questions", rows });
  const doubtful = rows.filter(({ outcome }) => outcome !== "answered" && outcome !== "figures").length;
  if (doubtful === 0) return;
  const advice = "Name the article that answers each in assistant.questions, or ask in the article's words.";
  throw new CommandFailure(EXIT.failure, `${doubtful} of ${rows.length} have no sure answer. ${advice}`);
}
