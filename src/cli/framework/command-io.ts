import type { EventEmitter } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "../../runtime/clock.ts";
import type { Env } from "./environment.ts";

/**
 * Everything that a command uses of its process, so that a test can run a command line in its own process on its own
 * streams. Only relative paths still depend on the process: on its working directory.
 */
export interface CommandIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Where the data goes. */
  readonly stdout: OutputStream;
  /** Where prompts, progress, hints and errors go. */
  readonly stderr: OutputStream;
  readonly env: Env;
  /** The machine's clock, which `--now` replaces. */
  readonly clock: Clock;
  /** Emits SIGINT and SIGTERM. */
  readonly signals: Pick<EventEmitter, "on" | "off">;
  /** Ends the process at once, whatever it still waits for. */
  readonly exit: (code: number) => void;
}

/** A stream that may be a terminal. */
export type OutputStream = Writable & {
  readonly isTTY?: boolean;
  /** Width in columns, of a terminal. */
  readonly columns?: number;
};
