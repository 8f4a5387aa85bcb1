import type { CommandIo } from "./command-io.ts";

/** Whether the run was asked to end early. */
export interface Interrupt {
  /** Aborted at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Gives the signals back to the platform. */
  readonly forget: () => void;
}

/** Takes the first SIGINT or SIGTERM as a request to end in good order; the second ends the process at once. */
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
