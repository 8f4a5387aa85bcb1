import { readFile, stat } from "node:fs/promises";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { printField, validate } from "../../contract/validation/validate-value.ts";
import { didYouMean } from "../../runtime/text/edit-distance.ts";
import type { Env } from "../framework/command-io.ts";
import { CommandFailure, EXIT, UsageError } from "../framework/command-failure.ts";
import { profilesFile } from "./profiles-file.ts";

const text = z.string().min(1);
const profile = z
  .strictObject({ url: text, token: text.optional(), token_file: text.optional() })
  .refine(({ token, token_file }) => !(token && token_file), "token and token_file exclude each other");

const profilesFileSchema = z.strictObject({
  current: z.string().optional(), // The profile that commands use when nothing else is named.
  profiles: z.record(z.string(), profile).default({}),
});

/** A daemon and the token to send, or the file that holds it, under a name. */
export type Profile = z.infer<typeof profile>;
export type Profiles = z.infer<typeof profilesFileSchema>;

/** The user's profiles; none when there is no file.
 * @throws CommandFailure when the file is not valid, or others may read a token in it */
export async function readProfiles(env: Env): Promise<Profiles> {
  const file = profilesFile(env);
  const found = await Promise.all([readFile(file, "utf8"), stat(file)]).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CommandFailure(EXIT.usage, `The profiles ${file} cannot be read: ${(error as Error).message}.`);
  });
  if (found === undefined) return { profiles: {} };
  const [text, { mode }] = found;
  let value: unknown;
  try {
    value = parse(text) ?? {};
  } catch {
    // The parser quotes the line, which may hold a token.
    throw new CommandFailure(EXIT.usage, `The profiles ${file} are not valid YAML.`);
  }
  const checked = validate(profilesFileSchema, value);
  if (!checked.valid) {
    const errors = checked.errors.map((error) => printField(error, "file"));
    throw new CommandFailure(EXIT.usage, `The profiles ${file} are not valid: ${errors.join("; ")}`);
  }
  const secret = Object.values(checked.data.profiles).some(({ token }) => token !== undefined);
  if (secret && (mode & 0o077) !== 0)
    throw new CommandFailure(EXIT.usage, `Others may read the tokens in ${file}. Fix it: chmod 600 ${file}`);
  return checked.data;
}

/** Replaces the user's profiles as a whole, readable by the user alone. */
export const writeProfiles = async (env: Env, profiles: Profiles): Promise<void> =>
  (await import("../../storage/fs/durable-files.ts")).replaceFile(profilesFile(env), stringify(profiles));

/** @throws UsageError when there is no profile of that name */
export function profileNamed(name: string, { profiles }: Profiles): Profile {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found !== undefined) return found;
  const hint = didYouMean(name, Object.keys(profiles)) || " `anp profiles list` shows them.";
  throw new UsageError(`There is no profile ${name}.${hint}`);
}
