import type { Command } from "commander";
import { fixedClock, type Clock } from "../../runtime/clock.ts";
import type { DaemonTarget } from "../target/daemon-target.ts";
import { openTerminal, type Terminal } from "../terminal/terminal.ts";
import type { CommandIo } from "./command-io.ts";
import type { Env } from "./environment.ts";
import { readGlobals, type Globals } from "./global-flags.ts";

/** The context of a running command. */
export interface Context {
  readonly io: CommandIo;
  readonly terminal: Terminal;
  readonly globals: Globals;
  readonly env: Env;
  /** The clock of `--now`, else the machine's. */
  readonly clock: Clock;
  /** The running daemon that the command works on; absent when it works on the storage itself. */
  readonly daemon?: DaemonTarget;
}

/**
 * The context of a command line, without its daemon.
 *
 * @throws UsageError that names each bad global flag
 */
export function openContext(program: Command, io: CommandIo): Context {
  const { env } = io;
  const globals = readGlobals(program, env);
  const clock = globals.now === undefined ? io.clock : fixedClock(globals.now);
  return { io, env, globals, clock, terminal: openTerminal(globals, io) };
}
