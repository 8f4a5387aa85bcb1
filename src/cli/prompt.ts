import { confirm, input } from "@inquirer/prompts";
import { CommandFailure, EXIT } from "./exit.ts";
import type { Param } from "./param.ts";

// stdout is for data, also while somebody types.
const onStderr = { input: process.stdin, output: process.stderr };

/** Asks for a value until it can be read. */
export async function askFor(param: Param<unknown>): Promise<string> {
  const validate = (typed: string): true | string => {
    try {
      param.read(typed);
      return true;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return `${param.value ?? "It"} ${error.message}`;
    }
  };
  return input({ message: `${param.value!} (${param.about})`, validate }, onStderr);
}

/** @throws CommandFailure when the answer is no */
export async function askToGoOn(message: string): Promise<void> {
  if (!(await confirm({ message, default: false }, onStderr))) {
    throw new CommandFailure(EXIT.failure, "Nothing was changed.");
  }
}
