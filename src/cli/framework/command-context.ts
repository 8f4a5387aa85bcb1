import type { Command } from "commander";
import { fixedClock, type Clock } from "../../runtime/clock.ts";
import type { DaemonTarget } from "../target/daemon-target.ts";
import { openTerminal, type Terminal } from "../terminal/terminal.ts";
import type { CommandIo } from "./command-io.ts";
import { readGlobals, type Surroundings } from "./global-flags.ts";

/** The context of a running command. */
export interface Context extends Surroundings {
  readonly io: CommandIo;
  readonly terminal: Terminal;
  /** The clock of `--now`, else the machine's. */
  readonly clock: Clock;
  /** The running daemon that the command works on; absent when it works on the storage itself. */
  readonly daemon?: DaemonTarget;
  /** The admin address that runs the command, and the operator's token; absent where the command runs here. */
  readonly operatorOf?: DaemonTarget & { readonly token: string };
}

/** The context of a command line, without its daemon.
 * @throws UsageError that names each bad global flag */
export function openContext(program: Command, io: CommandIo): Context {
  const { env, cwd } = io;
  const globals = readGlobals(program, env);
  const clock = globals.now === undefined ? io.clock : fixedClock(globals.now);
  return { io, env, cwd, globals, clock, terminal: openTerminal(globals, io) };
}
