import { resolve } from "node:path";
import { defineCommand } from "../../framework/define-command.ts";
import { confirmChange, yesFlag } from "../../framework/confirm.ts";
import { UsageError } from "../../framework/exit.ts";
import { optional, required, toggle } from "../../framework/param.ts";
import { printRecord } from "../../terminal/print.ts";
import { tokenOfEnvironment } from "../../target/token.ts";
import { profileName, text } from "../../framework/value-readers.ts";
import { toRow } from "./profile-row.ts";

export const add = defineCommand({
  name: "add",
  summary: "Save a daemon's address and a token under a name",
  description:
    "Save a daemon's address (--url) and a token under a name, or replace them. The token comes from --token, ANP_TOKEN " +
    "or ANP_TOKEN_FILE; otherwise a terminal prompts for it, without echo. With --token-file only the file's path is saved.",
  arguments: { name: required("NAME", "letters, digits, dot, dash and underscore", profileName) },
  options: {
    tokenFile: {
      ...optional("file", "file that contains the token, read at each use", text(4096)),
      holds: "file",
    },
    use: toggle("also use it from now on when neither a storage nor a daemon is named"),
    yes: yesFlag,
  },
  examples: [
    "profiles add staging --url https://anp.staging.example",
    "profiles add local --url http://127.0.0.1:8787 --token-file ~/alice.token --use",
  ],
  target: "none",
  async run({ name, tokenFile, use, yes }, context) {
    const { globals, env, terminal } = context;
    const { url } = globals;
    if (url === undefined) throw new UsageError("--url is missing: the address of the daemon.");
    if (tokenFile !== undefined && globals.token !== undefined)
      throw new UsageError("--token and --token-file exclude each other.");
    const { readUrl } = await import("../../../client/daemon-url.ts");
    try {
      readUrl(url);
    } catch (error) {
      throw new UsageError(`--url ${(error as RangeError).message}.`);
    }
    const { readProfiles, writeProfiles } = await import("../../target/profiles.ts");
    const before = await readProfiles(env);
    if (Object.hasOwn(before.profiles, name)) await confirmChange(context, yes, `Replace the profile ${name}?`);
    const profile =
      tokenFile === undefined ? { url, ...(await tokenFor(url)) } : { url, token_file: resolve(tokenFile) };
    const after = {
      ...(use ? { current: name } : before.current !== undefined && { current: before.current }),
      profiles: { ...before.profiles, [name]: profile },
    };
    await writeProfiles(env, after);
    await printRecord(context, toRow(name, profile, after));

    async function tokenFor(daemon: string): Promise<{ token?: string }> {
      let token = globals.token ?? (await tokenOfEnvironment(env));
      if (token === undefined && terminal.canPrompt) {
        const { askForSecret } = await import("../../terminal/prompt.ts");
        token = await askForSecret(`Token for ${daemon} (empty for none)`, context);
      }
      return token === undefined || token === "" ? {} : { token };
    }
  },
});
