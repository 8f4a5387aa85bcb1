import { systemClock } from "../runtime/clock.ts";
import type { CommandIo } from "./framework/command-io.ts";
import { main } from "./main.ts";

/** Runs the command line of this process. */
export async function run(): Promise<void> {
  const { stdin, stdout, stderr, env } = process;
  const exit = (code: number): void => process.exit(code);
  const io: CommandIo = { stdin, stdout, stderr, env, cwd: process.cwd(), clock: systemClock, signals: process, exit };
  // Not process.exit(): it would lose output that a pipe has not read yet.
  process.exitCode = await main(process.argv.slice(2), io);
}
