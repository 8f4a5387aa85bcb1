import { resolve } from "node:path";
import { readUrl } from "../../../client/daemon-url.ts";
import { defineCommand, defineGroup, toUsageError, UsageError, type Context } from "../../framework/command.ts";
import { confirmChange } from "../../framework/confirm.ts";
import { optional, required, toggle, profileName, text } from "../../params/param.ts";
import { profileNamed, readProfiles, writeProfiles, type Profile, type Profiles } from "../../target/profiles.ts";
import { tokenFromEnvironment } from "../../target/daemon-target.ts";
import { printRecord, printTable } from "../../terminal/print.ts";

/** A profile without its token: that is `kept` in the profiles file, the path of a token file, or `none`. */
function toRow(name: string, { url, token, token_file }: Profile, { current }: Profiles) {
  return { name, url, token: token === undefined ? (token_file ?? "none") : "kept", current: name === current };
}

async function printProfiles(context: Context, kept: Profiles): Promise<void> {
  const rows = Object.entries(kept.profiles).map(([name, profile]) => toRow(name, profile, kept));
  await printTable(context, { table: "profiles", rows });
}

const list = defineCommand("profiles list", {
  run: async (_values, context) => printProfiles(context, await readProfiles(context.env)),
});

const add = defineCommand("profiles add", {
  arguments: { name: required(profileName) },
  options: { tokenFile: optional(text(4096), "file"), use: toggle(), yes: toggle() },
  async run({ name, tokenFile, use, yes }, context) {
    const { globals, env, cwd } = context;
    const { url } = globals;
    if (url === undefined) throw new UsageError("--url is missing: the address of the daemon.");
    if (tokenFile !== undefined && globals.token !== undefined)
      throw new UsageError("--token and --token-file exclude each other.");
    toUsageError("--url", () => readUrl(url));
    const before = await readProfiles(env);
    if (Object.hasOwn(before.profiles, name)) await confirmChange(context, yes, `Replace the profile ${name}?`);
    const secret = tokenFile === undefined ? await tokenFor(url, context) : { token_file: resolve(cwd, tokenFile) };
    const profile = { url, ...secret };
    const after = { current: use ? name : before.current, profiles: { ...before.profiles, [name]: profile } };
    await writeProfiles(env, after);
    await printRecord(context, toRow(name, profile, after));
  },
});

async function tokenFor(url: string, context: Context): Promise<{ token?: string }> {
  let token = context.globals.token ?? (await tokenFromEnvironment(context));
  if (token === undefined && context.terminal.canPrompt)
    token = await (await import("../../terminal/prompt.ts")).askForSecret(`Token for ${url} (empty for none)`, context);
  return token === undefined || token === "" ? {} : { token };
}

const use = defineCommand("profiles use", {
  arguments: { name: optional(profileName, "profile") },
  options: { none: toggle() },
  async run({ name, none }, context) {
    if ((name === undefined) !== none) throw new UsageError("Give either NAME or --none.");
    const { profiles } = await readProfiles(context.env);
    if (name !== undefined) profileNamed(name, { profiles });
    const after = { current: name, profiles };
    await writeProfiles(context.env, after);
    await printProfiles(context, after);
  },
});

const remove = defineCommand("profiles remove", {
  arguments: { name: required(profileName, "profile") },
  options: { yes: toggle() },
  async run({ name, yes }, context) {
    const before = await readProfiles(context.env);
    const profile = profileNamed(name, before);
    await confirmChange(context, yes, `Remove the profile ${name}?`);
    const profiles = Object.fromEntries(Object.entries(before.profiles).filter(([own]) => own !== name));
    await writeProfiles(context.env, { current: before.current === name ? undefined : before.current, profiles });
    await printRecord(context, toRow(name, profile, before));
  },
});

export const command = defineGroup("profiles", { list, add, use, remove });
