import type { EventEmitter } from "node:events";
import { constants } from "node:os";

type StopSignal = "SIGINT" | "SIGTERM";

/** A process, as far as its end is concerned. */
export interface Stoppable {
  /** Emits SIGINT and SIGTERM. */
  readonly signals: Pick<EventEmitter, "on" | "off">;
  /** Ends the process at once, whatever it still waits for. */
  readonly exit: (code: number) => void;
}

/** A signal that comes again so soon is the same one, ms: npm sends on what the terminal has sent to all. */
const ECHO_MS = 500;

/** The first SIGINT or SIGTERM requests an orderly end; the second ends the process at once, as if it had been killed.
 * @param beforeEnd the last work of the process after a second signal */
export function awaitInterrupt({ signals, exit }: Stoppable, beforeEnd?: () => Promise<void> | undefined) {
  const controller = new AbortController();
  let first: { readonly name: StopSignal; readonly at: number } | undefined;
  const stop = (name: StopSignal): void => {
    if (first === undefined) {
      first = { name, at: performance.now() };
      controller.abort(new DOMException(name, "AbortError"));
    } else if (name !== first.name || performance.now() - first.at > ECHO_MS) {
      void Promise.resolve(beforeEnd?.()).finally(() => exit(128 + constants.signals[name]));
    }
  };
  signals.on("SIGINT", stop);
  signals.on("SIGTERM", stop);
  return {
    /** Aborted at the first SIGINT or SIGTERM; the message of its reason is the signal's name. */
    signal: controller.signal,
    forget: (): void => {
      signals.off("SIGINT", stop);
      signals.off("SIGTERM", stop);
    },
  };
}
