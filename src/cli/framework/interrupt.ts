/** Whether the run was asked to end early. */
export interface Interrupt {
  /** Aborted at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Gives the signals back to the platform. */
  readonly forget: () => void;
}

/** Takes the first SIGINT or SIGTERM as a wish to end in good order; the second ends the process at once. */
export function awaitInterrupt(): Interrupt {
  const controller = new AbortController();
  const forget = (): void => {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  };
  const stop = (): void => {
    forget();
    controller.abort();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return { signal: controller.signal, forget };
}
