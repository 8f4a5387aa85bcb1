import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Surroundings } from "../framework/global-flags.ts";
import { UsageError } from "../framework/exit.ts";

/** The token of ANP_TOKEN, or of the file that ANP_TOKEN_FILE names.
 * @throws UsageError when both are set, or the file cannot be read */
export async function tokenOfEnvironment({ env, cwd }: Pick<Surroundings, "env" | "cwd">): Promise<string | undefined> {
  const [token, file] = [env["ANP_TOKEN"] || undefined, env["ANP_TOKEN_FILE"] || undefined];
  if (token !== undefined && file !== undefined) {
    throw new UsageError("ANP_TOKEN and ANP_TOKEN_FILE exclude each other.");
  }
  return file === undefined ? token : readTokenFile(file, cwd);
}

/** @throws UsageError when it cannot be read or is empty */
export async function readTokenFile(file: string, cwd: string): Promise<string> {
  let text: string;
  try {
    text = (await readFile(resolve(cwd, file), "utf8")).trim();
  } catch (error) {
    throw new UsageError(`The token file ${file} cannot be read: ${(error as Error).message}.`);
  }
  if (text === "") throw new UsageError(`The token file ${file} is empty.`);
  return text;
}
