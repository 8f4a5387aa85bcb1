import type { UserProfile } from "../../../accounts/users.ts";
import { defineCommand } from "../../framework/define-command.ts";
import type { Column } from "../../terminal/column.ts";
import { printRows, showInstant } from "../../terminal/print.ts";
import { withAccounts } from "../../target/session.ts";

const COLUMNS: readonly Column<UserProfile>[] = [
  { name: "user_id", of: ({ user_id }) => user_id, wide: true },
  {
    name: "free_daily_quota",
    of: ({ free_daily_quota }) => free_daily_quota,
    show: ({ free_daily_quota }) => String(free_daily_quota ?? "default"),
  },
  { name: "lang", of: ({ lang }) => lang },
  { name: "created_at", of: ({ created_at }) => created_at, show: ({ created_at }) => showInstant(created_at) },
];

export const list = defineCommand({
  name: "list",
  summary: "List all users",
  arguments: {},
  options: {},
  examples: ["users list", "users list --format csv > users.csv"],
  async run(_values, context) {
    const rows: UserProfile[] = [];
    await withAccounts(context, async ({ service }) => {
      for await (const profile of service.users.list()) rows.push(profile);
    });
    rows.sort((a, b) => (a.user_id < b.user_id ? -1 : 1));
    await printRows(context, { data: rows, rows, columns: COLUMNS });
    if (rows.length === 0) context.terminal.say("There are no users. `anp users create USER` creates one.");
  },
});
