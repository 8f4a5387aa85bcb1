import { resolve } from "node:path";
import type { Context } from "../framework/command-context.ts";
import { confirmChange, yesFlag } from "../framework/confirm.ts";
import { defineCommand, defineGroup } from "../framework/define-command.ts";
import { UsageError } from "../framework/exit.ts";
import { optional, required, toggle, profileName, text } from "../framework/param.ts";
import type { Profile, Profiles } from "../target/profiles.ts";
import { tokenOfEnvironment } from "../target/token.ts";
import type { Column } from "../terminal/column.ts";
import { printRecord, printRows } from "../terminal/print.ts";

/** A profile without its token: that is `kept` in the profiles file, the path of a token file, or `none`. */
function toRow(name: string, { url, token, token_file }: Profile, { current }: Profiles) {
  const where = token === undefined ? (token_file ?? "none") : "kept";
  return { name, url, token: where, current: name === current };
}

const COLUMNS: readonly Column<ReturnType<typeof toRow>>[] = [
  { name: "name" },
  { name: "url" },
  { name: "token", wide: true },
  { name: "current", show: ({ current }) => (current ? "yes" : "") },
];

async function printProfiles(context: Context, kept: Profiles): Promise<number> {
  const rows = Object.entries(kept.profiles).map(([name, profile]) => toRow(name, profile, kept));
  await printRows(context, { data: rows, rows, columns: COLUMNS });
  return rows.length;
}

const list = defineCommand({
  summary: "List the profiles, without their tokens",
  target: "none",
  async run(_values, context) {
    const { readProfiles } = await import("../target/profiles.ts");
    const count = await printProfiles(context, await readProfiles(context.env));
    if (count === 0) context.terminal.say("There are no profiles. `anp profiles add NAME --url URL` saves one.");
  },
});

const add = defineCommand({
  summary: "Save a daemon's address and a token under a name",
  arguments: { name: required("NAME", "letters, digits, dot, dash and underscore", profileName) },
  options: {
    tokenFile: optional("file", "file that contains the token, read at each use", text(4096), "file"),
    use: toggle("also use it from now on when neither a storage nor a daemon is named"),
    yes: yesFlag,
  },
  target: "none",
  async run({ name, tokenFile, use, yes }, context) {
    const { globals, env, cwd } = context;
    const { url } = globals;
    if (url === undefined) throw new UsageError("--url is missing: the address of the daemon.");
    if (tokenFile !== undefined && globals.token !== undefined)
      throw new UsageError("--token and --token-file exclude each other.");
    const { readUrl } = await import("../../client/daemon-url.ts");
    try {
      readUrl(url);
    } catch (error) {
      throw new UsageError(`--url ${(error as RangeError).message}.`);
    }
    const { readProfiles, writeProfiles } = await import("../target/profiles.ts");
    const before = await readProfiles(env);
    if (Object.hasOwn(before.profiles, name)) await confirmChange(context, yes, `Replace the profile ${name}?`);
    const profile =
      tokenFile === undefined
        ? { url, ...(await tokenFor(url, context)) }
        : { url, token_file: resolve(cwd, tokenFile) };
    const after = {
      ...(use ? { current: name } : before.current !== undefined && { current: before.current }),
      profiles: { ...before.profiles, [name]: profile },
    };
    await writeProfiles(env, after);
    await printRecord(context, toRow(name, profile, after));
  },
});

async function tokenFor(url: string, context: Context): Promise<{ token?: string }> {
  let token = context.globals.token ?? (await tokenOfEnvironment(context));
  if (token === undefined && context.terminal.canPrompt) {
    const { askForSecret } = await import("../terminal/prompt.ts");
    token = await askForSecret(`Token for ${url} (empty for none)`, context);
  }
  return token === undefined || token === "" ? {} : { token };
}

const use = defineCommand({
  summary: "Choose the daemon to use when none is named",
  arguments: { name: optional("NAME", "name of the profile", profileName, "profile") },
  options: { none: toggle("no daemon: use the storage") },
  target: "none",
  async run({ name, none }, context) {
    if ((name === undefined) !== none) throw new UsageError("Give either NAME or --none.");
    const { profileNamed, readProfiles, writeProfiles } = await import("../target/profiles.ts");
    const { profiles } = await readProfiles(context.env);
    if (name !== undefined) profileNamed(name, { profiles });
    const after = { ...(name !== undefined && { current: name }), profiles };
    await writeProfiles(context.env, after);
    await printProfiles(context, after);
  },
});

const remove = defineCommand({
  summary: "Remove a profile and its token",
  arguments: { name: required("NAME", "name of the profile", profileName, "profile") },
  options: { yes: yesFlag },
  target: "none",
  async run({ name, yes }, context) {
    const { profileNamed, readProfiles, writeProfiles } = await import("../target/profiles.ts");
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

export const command = defineGroup({ list, add, use, remove });
