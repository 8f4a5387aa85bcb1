import type { Fixture } from "../admin/load-fixture.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { Finding } from "../storage/finding.ts";

/** The result of one examination. */
export interface DoctorFinding extends Finding {
  /** With the level `error`: something outside of this program does not answer. */
  readonly unreachable?: true;
}

/** One thing to look at. Checks run side by side and do not depend on each other. */
export interface Check {
  readonly name: string;
  /** How long it may take, ms. */
  readonly bound_ms: number;
  /** @param signal aborted when the time is up */
  run(signal: AbortSignal): Promise<DoctorFinding[]>;
}

/** What the checks examine. */
export interface CheckInput {
  readonly loaded: LoadedConfig;
  /** The fixture that is shown instead of an operator's content, if any. */
  readonly fixture?: Fixture | undefined;
  /** The clock's time, ms since the epoch. */
  readonly now: number;
}

export function ok(subject: string, message: string): DoctorFinding {
  return { level: "ok", subject, message };
}

export function warning(subject: string, message: string, remedy: string): DoctorFinding {
  return { level: "warning", subject, message, remedy };
}

export function failed(subject: string, message: string, remedy: string): DoctorFinding {
  return { level: "error", subject, message, remedy };
}

/** An error of something that does not answer. */
export function unreachable(subject: string, message: string, remedy: string): DoctorFinding {
  return { ...failed(subject, message, remedy), unreachable: true };
}

/** Aborted when the time of one request is up, or that of its check. */
export function withTimeout(signal: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}

/** Why a request got no answer, in a few words. */
export function networkReason(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === "TimeoutError" || name === "AbortError") return "no answer in time";
  const code = (cause as { code?: unknown } | undefined)?.code ?? (error as { code?: unknown }).code;
  // What fetch says of a URL holds the login in it.
  return typeof code === "string" ? code : message.replace(/(:\/\/)[^/?#@\s]*@/g, "$1");
}
