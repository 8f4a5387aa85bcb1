import type { Readable, Writable } from "node:stream";
import type { Clock } from "../../runtime/clock.ts";
import type { Stoppable } from "../../runtime/interrupt.ts";
import type { JobRunners, Service } from "../../service/service.ts";

/** The environment of a run; an empty variable counts as not set. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Everything that a command uses of its process, so that tests can run command lines in process. */
export interface CommandIo extends Stoppable {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream; // Where the data goes.
  readonly stderr: OutputStream; // Where prompts, progress, hints and errors go.
  readonly env: Env;
  readonly cwd: string; // The working directory, which relative paths start from.
  readonly clock: Clock; // The machine's clock, which `--now` replaces.
  /** Job runners that many runs in one process share. A daemon with them runs jobs in its own thread, not workers. */
  readonly runners?: () => JobRunners;
  /** Set for a command that a daemon runs for an operator. */
  readonly hosted?: {
    readonly service: Service; // The daemon's own: a command never closes it.
    /** Ends the command with a question, which the operator answers by calling again; absent if nobody can answer. */
    readonly ask?: ((question: string) => never) | undefined;
  };
}

type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number }; // The width of a terminal.
