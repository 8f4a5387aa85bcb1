import { defineCommand } from "../../framework/define-command.ts";
import { knownUser } from "../../framework/param.ts";
import { printRows } from "../../terminal/print.ts";
import { withAccounts } from "../../target/session.ts";
import { USER_OR_TOKEN, findUser } from "../../target/find-user.ts";
import { tokenColumns } from "./token-columns.ts";
import { toTokenRow } from "../../../admin/token-state.ts";

export const list = defineCommand({
  name: "list",
  summary: "List a user's tokens, without their secrets",
  arguments: { user: knownUser("USER", USER_OR_TOKEN) },
  options: {},
  examples: ["tokens list alice", "tokens list alice --json"],
  async run({ user }, context) {
    const rows = await withAccounts(context, async ({ service }) => {
      const who = await findUser(service, user);
      const records = await service.tokens.list(who);
      return records.map((record) => toTokenRow(record, service.clock.now()));
    });
    await printRows(context, { data: rows, rows, columns: tokenColumns(context.clock.now()) });
    if (rows.length === 0) context.terminal.say(`${user} has no tokens.`);
  },
});
