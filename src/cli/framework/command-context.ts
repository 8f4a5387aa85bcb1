import type { Command } from "commander";
import { fixedClock, type Clock } from "../../runtime/clock.ts";
import type { DaemonTarget } from "../target/daemon-target.ts";
import { openTerminal, type Terminal } from "../terminal/terminal.ts";
import type { CommandIo } from "./command-io.ts";
import { readGlobals, type CommandEnv } from "./global-flags.ts";

/** The context of a running command. */
export interface Context extends CommandEnv {
  readonly io: CommandIo;
  readonly terminal: Terminal;
  readonly clock: Clock; // The clock of `--now`, else the machine's.
  readonly daemon?: DaemonTarget; // What the command works on; absent when that is the storage itself.
  readonly operatorOf?: DaemonTarget & { readonly token: string }; // The admin address that runs it, if one does.
}

/** The context of a command line, without its daemon. @throws UsageError that names each bad global flag */
export function openContext(program: Command, io: CommandIo): Context {
  const { env, cwd } = io;
  const globals = readGlobals(program, env);
  const clock = globals.now === undefined ? io.clock : fixedClock(globals.now);
  return { io, env, cwd, globals, clock, terminal: openTerminal(globals, io) };
}
