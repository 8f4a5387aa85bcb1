import { once } from "node:events";
import type { Fixture } from "../admin/load-fixture.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { type Finding, findingsOf } from "../storage/health/finding.ts";
import FINDINGS from "./findings.json" with { type: "json" };

/** Makes a finding of `findings.json`. */
export const finding = findingsOf(FINDINGS);

/** Checks run concurrently and do not depend on each other. */
export interface Check {
  readonly name: string;
  readonly bound_ms: number;
  readonly run: (signal: AbortSignal) => Promise<Finding[]>; // `signal` is aborted when the time is up.
}

export interface CheckInput {
  readonly loaded: LoadedConfig;
  readonly fixture?: Fixture | undefined; // Used instead of an operator's content, if any.
  readonly now: number;
}

export type CheckResult = Finding & { readonly check: string };

/** Runs all checks concurrently, each within its bound; one that throws becomes a finding. @param onDone called with
 * the results of each as it ends @returns the results in the order of the checks */
export async function runChecks(checks: readonly Check[], onDone: (results: CheckResult[]) => Promise<unknown>) {
  const run = async (check: Check): Promise<CheckResult[]> => {
    const found = (await examine(check)).map((finding) => ({ check: check.name, ...finding }));
    await onDone(found);
    return found;
  };
  return (await Promise.all(checks.map(run))).flat();
}

function examine({ name: check, bound_ms, run }: Check): Promise<Finding[]> {
  const signal = AbortSignal.timeout(bound_ms);
  const late = once(signal, "abort").then(() => [finding("late", { check, seconds: bound_ms / 1000 })]);
  const running = Promise.race([Promise.resolve(signal).then(run), late]);
  return running.catch((error: unknown) => [finding("failed", { check, reason: (error as Error).message })]);
}

/** A signal for one request: aborted after `ms`, or with its check. */
export const timeoutSignal = (signal: AbortSignal, ms: number) => AbortSignal.any([signal, AbortSignal.timeout(ms)]);

/** Why a request got no answer, in a few words. */
export function networkReason(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === "TimeoutError" || name === "AbortError") return "no answer in time";
  const code = (cause as { code?: unknown } | undefined)?.code ?? (error as { code?: unknown }).code;
  // fetch repeats the URL in its message, credentials included.
  return typeof code === "string" ? code : message.replace(/(:\/\/)[^/?#@\s]*@/g, "$1");
}
