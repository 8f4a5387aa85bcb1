import { constants } from "node:os";

type StopSignal = "SIGINT" | "SIGTERM";

/** The stop signals of the process. */
export interface StopSignals {
  /** Resolves at the first signal. */
  readonly requested: Promise<void>;
  /** The first signal, once it came. */
  signal(): StopSignal | undefined;
  /** Removes the signal handlers. */
  forget(): void;
}

/**
 * Watches SIGINT and SIGTERM. The second signal ends the process, as if it had been killed by it.
 *
 * @param beforeEnd the last work of the process after a second signal
 */
export function watchStopSignals(beforeEnd: () => Promise<void> | undefined): StopSignals {
  let first: StopSignal | undefined;
  let resolve: () => void;
  const requested = new Promise<void>((done) => {
    resolve = done;
  });
  function onSignal(name: StopSignal): void {
    if (first === undefined) {
      first = name;
      resolve();
      return;
    }
    void Promise.resolve(beforeEnd()).finally(() => process.exit(128 + constants.signals[name]));
  }
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    requested,
    signal: () => first,
    forget() {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}
