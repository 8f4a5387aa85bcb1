import { defineCommand } from "../../framework/define-command.ts";
import { UsageError } from "../../framework/exit.ts";
import { optional, toggle } from "../../framework/param.ts";
import { printRows } from "../../terminal/print.ts";
import { profileName } from "../../framework/value-readers.ts";
import { COLUMNS, toRow } from "./profile-row.ts";

export const use = defineCommand({
  name: "use",
  summary: "Choose the daemon to use when none is named",
  description:
    "Choose the daemon that commands use when neither a flag nor the environment names a storage or a daemon. With " +
    "--none they use the storage again. It has no effect on commands that need the storage itself.",
  arguments: { name: { ...optional("NAME", "name of the profile", profileName), holds: "profile" } },
  options: { none: toggle("no daemon: use the storage") },
  examples: ["profiles use staging", "profiles use --none"],
  target: "none",
  async run({ name, none }, context) {
    if ((name === undefined) !== none) throw new UsageError("Give either NAME or --none.");
    const { profileNamed, readProfiles, writeProfiles } = await import("../../target/profiles.ts");
    const { profiles } = await readProfiles(context.env);
    if (name !== undefined) profileNamed(name, { profiles });
    const after = { ...(name !== undefined && { current: name }), profiles };
    await writeProfiles(context.env, after);
    const rows = Object.entries(profiles).map(([own, profile]) => toRow(own, profile, after));
    await printRows(context, { data: rows, rows, columns: COLUMNS });
  },
});
