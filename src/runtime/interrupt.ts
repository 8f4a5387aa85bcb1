import type { EventEmitter } from "node:events";
import { constants } from "node:os";

type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** The parts of a process that concern its end. */
export interface Stoppable {
  readonly signals: Pick<EventEmitter, "on" | "off">; // Emits SIGINT, SIGTERM and SIGHUP.
  readonly exit: (code: number) => void; // Ends the process at once, whatever it still waits for.
}

const ECHO_MS = 500; // A signal repeated this soon is the same one: npm forwards what the terminal sends to all.

/** The first SIGINT or SIGTERM requests an orderly end; the second ends the process at once, as if it had been killed.
 * @param beforeEnd the last work of the process after a second signal
 * @param hangup also SIGHUP requests an orderly end, and none at once: what closes a session sends it besides another. */
export function awaitInterrupt(
  { signals, exit }: Stoppable,
  beforeEnd?: () => Promise<void> | undefined,
  hangup = false,
) {
  const controller = new AbortController();
  let first: { readonly name: StopSignal; readonly at: number } | undefined;
  const stop = (name: StopSignal): void => {
    if (first === undefined) {
      first = { name, at: performance.now() };
      controller.abort(new DOMException(name, "AbortError"));
    } else if (name !== "SIGHUP" && (![name, "SIGHUP"].includes(first.name) || performance.now() - first.at > ECHO_MS))
      void Promise.resolve(beforeEnd?.()).finally(() => exit(128 + constants.signals[name]));
  };
  const names = ["SIGINT", "SIGTERM", ...(hangup ? ["SIGHUP"] : [])];
  for (const name of names) signals.on(name, stop);
  return {
    signal: controller.signal, // Aborted at the first signal; its reason's message is the signal's name.
    forget: () => names.forEach((name) => signals.off(name, stop)),
  };
}
