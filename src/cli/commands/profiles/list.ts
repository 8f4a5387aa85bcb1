import { defineCommand } from "../../framework/define-command.ts";
import { printRows } from "../../terminal/print.ts";
import { COLUMNS, toRow } from "./profile-row.ts";

export const list = defineCommand({
  name: "list",
  summary: "List the profiles, without their tokens",
  arguments: {},
  options: {},
  examples: ["profiles list", "profiles list --json"],
  target: "none",
  async run(_values, context) {
    const { readProfiles } = await import("../../target/profiles.ts");
    const kept = await readProfiles(context.env);
    const rows = Object.entries(kept.profiles).map(([name, profile]) => toRow(name, profile, kept));
    await printRows(context, { data: rows, rows, columns: COLUMNS });
    if (rows.length === 0) context.terminal.say("There are no profiles. `anp profiles add NAME --url URL` saves one.");
  },
});
