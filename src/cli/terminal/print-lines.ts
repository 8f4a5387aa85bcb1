import type { Context } from "../framework/command-context.ts";
import { openLinePrinter } from "./print.ts";

/** Prints lines as they come; false when stdout was closed before the last of them. */
export async function printLines(context: Context, lines: AsyncIterable<string>): Promise<boolean> {
  const printer = openLinePrinter(context);
  for await (const line of lines) {
    if (!(await printer.print(line))) return false;
  }
  return printer.flush();
}
