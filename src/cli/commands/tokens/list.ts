import { defineCommand } from "../../command.ts";
import { required } from "../../param.ts";
import { printRows, showInstant, type Column } from "../../print.ts";
import { withSession } from "../../session.ts";
import { userId } from "../../values.ts";
import { toRow, type TokenRow } from "./state.ts";

const COLUMNS: readonly Column<TokenRow>[] = [
  { name: "id", of: ({ id }) => id },
  { name: "label", of: ({ label }) => label, wide: true },
  { name: "created_at", of: ({ created_at }) => created_at, show: ({ created_at }) => showInstant(created_at) },
  {
    name: "expires_at",
    of: ({ expires_at }) => expires_at,
    show: ({ expires_at }) => (expires_at === null ? "never" : showInstant(expires_at)),
  },
  { name: "state", of: ({ state }) => state },
];

export const list = defineCommand({
  name: "list",
  summary: "List a user's tokens, without their secrets",
  arguments: { user: required("USER", "id of the user", userId) },
  options: {},
  examples: ["tokens list alice", "tokens list alice --json"],
  async run({ user }, context) {
    const rows = await withSession(context, async ({ service, callOf }) => {
      await callOf(user);
      const records = await service.tokens.list(user);
      return records.map((record) => toRow(record, service.clock.now()));
    });
    await printRows(context, { data: rows, rows, columns: COLUMNS });
    if (rows.length === 0) context.terminal.say(`${user} has no tokens.`);
  },
});
