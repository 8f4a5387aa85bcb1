/** Tells a run that it is to end: at the first SIGINT or SIGTERM. The next one ends the process as ever. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Gives the signals back to the platform. */
  readonly forget: () => void;
}

export function watchInterrupt(): Interrupt {
  const controller = new AbortController();
  const forget = (): void => {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  };
  function onSignal(): void {
    forget();
    controller.abort(new Error("interrupted"));
  }
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return { signal: controller.signal, forget };
}
