import { defineCommand } from "../../framework/define-command.ts";
import { confirmChange, yesFlag } from "../../framework/confirm.ts";
import { required } from "../../framework/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { profileName } from "../../framework/value-readers.ts";
import { toRow } from "./profile-row.ts";

export const remove = defineCommand({
  name: "remove",
  summary: "Remove a profile and its token",
  arguments: { name: { ...required("NAME", "name of the profile", profileName), holds: "profile" } },
  options: { yes: yesFlag },
  examples: ["profiles remove staging", "profiles remove staging --yes"],
  target: "none",
  async run({ name, yes }, context) {
    const { profileNamed, readProfiles, writeProfiles } = await import("../../target/profiles.ts");
    const before = await readProfiles(context.env);
    const profile = profileNamed(name, before);
    await confirmChange(context, yes, `Remove the profile ${name}?`);
    const profiles = Object.fromEntries(Object.entries(before.profiles).filter(([own]) => own !== name));
    await writeProfiles(context.env, {
      ...(before.current !== undefined && before.current !== name && { current: before.current }),
      profiles,
    });
    await printRecord(context, toRow(name, profile, before));
  },
});
