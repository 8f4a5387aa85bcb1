import type { Fixture } from "../admin/load-fixture.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { Finding } from "../storage/finding.ts";

/** Checks run concurrently and do not depend on each other. */
export interface Check {
  readonly name: string;
  /** How long it may take, ms. */
  readonly bound_ms: number;
  /** @param signal aborted when the time is up */
  run(signal: AbortSignal): Promise<Finding[]>;
}

/** The input of the checks. */
export interface CheckInput {
  readonly loaded: LoadedConfig;
  /** The fixture that is used instead of an operator's content, if any. */
  readonly fixture?: Fixture | undefined;
  /** The clock's time, ms since the epoch. */
  readonly now: number;
}

/** A signal for one request: aborted after `ms`, or with its check. */
export function withTimeout(signal: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}

/** Why a request got no answer, in a few words. */
export function networkReason(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === "TimeoutError" || name === "AbortError") return "no answer in time";
  const code = (cause as { code?: unknown } | undefined)?.code ?? (error as { code?: unknown }).code;
  // fetch repeats the URL in its message, credentials included.
  return typeof code === "string" ? code : message.replace(/(:\/\/)[^/?#@\s]*@/g, "$1");
}
