import type { CommandIo } from "./command-io.ts";

/** A request to end the run early. */
export interface Interrupt {
  /** Aborted at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Removes the signal handlers. */
  readonly forget: () => void;
}

/** The first SIGINT or SIGTERM requests an orderly end; the second ends the process at once. */
export function awaitInterrupt({ signals }: CommandIo): Interrupt {
  const controller = new AbortController();
  const forget = (): void => {
    signals.off("SIGINT", stop);
    signals.off("SIGTERM", stop);
  };
  const stop = (): void => {
    forget();
    controller.abort();
  };
  signals.on("SIGINT", stop);
  signals.on("SIGTERM", stop);
  return { signal: controller.signal, forget };
}
