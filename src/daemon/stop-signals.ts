import { constants } from "node:os";

type StopSignal = "SIGINT" | "SIGTERM";

/** The stop signals of the process. */
export interface StopSignals {
  /** Resolves at the first signal. */
  readonly asked: Promise<void>;
  /** The first signal, once it came. */
  signal(): StopSignal | undefined;
  /** Gives the signals back to the platform. */
  forget(): void;
}

/**
 * Watches SIGINT and SIGTERM. The second signal ends the process, as if it had been killed by it.
 *
 * @param beforeEnd what is still to be done then, at once
 */
export function watchStopSignals(beforeEnd: () => Promise<void> | undefined): StopSignals {
  let first: StopSignal | undefined;
  let resolve: () => void;
  const asked = new Promise<void>((done) => {
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
    asked,
    signal: () => first,
    forget() {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}
