import { defineCommand } from "../../command.ts";
import { printRows } from "../../print.ts";
import { COLUMNS, toRow } from "./row.ts";

export const list = defineCommand({
  name: "list",
  summary: "List the profiles, without their tokens",
  arguments: {},
  options: {},
  examples: ["profiles list", "profiles list --json"],
  target: "none",
  async run(_values, context) {
    const { readProfiles } = await import("../../profiles.ts");
    const kept = await readProfiles(context.env);
    const rows = Object.entries(kept.profiles).map(([name, profile]) => toRow(name, profile, kept));
    await printRows(context, { data: rows, rows, columns: COLUMNS });
    if (rows.length === 0) context.terminal.say("There are no profiles. `anp profiles add NAME --url URL` makes one.");
  },
});
