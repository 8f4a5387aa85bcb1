import { confirm, input, password, search, select } from "@inquirer/prompts";
import { showId } from "./clean-text.ts";
import type { Context } from "../framework/command-context.ts";
import type { CommandIo } from "../framework/command-io.ts";
import { CommandFailure, EXIT } from "../framework/command-failure.ts";
import type { Param } from "../params/param.ts";
import { userIds } from "../target/bare-storage.ts";
const LINES_SHOWN = 10;

/** Asks for a value until it is valid. A user can be chosen among those of the storage. */
export async function askFor(param: Param<unknown>, context: Context): Promise<string> {
  // After a semicolon, the text explains another way to give the value.
  const [about] = param.about.replace(`${param.value!}, `, "").split(";");
  const message = about === param.value ? about! : `${param.value!} (${about!})`;
  if (param.holds === "user" && context.operatorOf === undefined) {
    // Without a list, the id can still be typed.
    const users = await userIds(context, { limit: 20_000 }).catch(() => []);
    if (users.length > 0) return askForUser(message, users.sort(), context.io);
  }
  const validate = (typed: string): true | string => {
    try {
      param.read(typed);
      return true;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return `${param.value ?? "It"} ${error.message}`;
    }
  };
  return input({ message, validate }, streamsOf(context.io));
}

function askForUser(message: string, users: readonly string[], io: CommandIo): Promise<string> {
  const source = (term = ""): { value: string; name?: string }[] => {
    const typed = term.trim().toLowerCase();
    const starting = users.filter((id) => id.toLowerCase().startsWith(typed));
    const inside = users.filter((id) => id.toLowerCase().indexOf(typed) > 0);
    const found = [...starting, ...inside].map((value) => ({ value, name: showId(value) }));
    const own =
      typed === "" || users.includes(term.trim()) ? [] : [{ value: term.trim(), name: `${term.trim()} (as typed)` }];
    return [...found, ...own];
  };
  return search({ message, source, pageSize: LINES_SHOWN }, streamsOf(io));
}

/** Asks for one of several values. @param choices the values and their labels */
export const askForOneOf = (message: string, choices: { value: string; name: string }[], context: Context) =>
  select({ message, choices, pageSize: LINES_SHOWN }, streamsOf(context.io));

/** Asks for a secret, without echo. */
export const askForSecret = async (message: string, { io }: Context): Promise<string> =>
  (await password({ message, mask: false }, streamsOf(io))).trim();

/** @throws CommandFailure when the answer is no */
export async function confirmOrFail(message: string, { io }: Context): Promise<void> {
  const isYes = await confirm({ message, default: false }, streamsOf(io));
  if (!isYes) throw new CommandFailure(EXIT.failure, "Nothing was changed.");
}

/** Prompts go to stderr: stdout is for data. */
const streamsOf = ({ stdin, stderr }: CommandIo) => ({ input: stdin, output: stderr });
