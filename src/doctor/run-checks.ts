import { type Finding, unreachable } from "../storage/finding.ts";
import type { Check } from "./check.ts";

/** A finding and the check that it comes from. */
export interface CheckResult extends Finding {
  readonly check: string;
}

/**
 * Runs all checks concurrently, each within its bound. A check that throws becomes a finding; the others go on.
 *
 * @param onDone called with the results of each check as it ends
 * @returns the results in the order of the checks
 */
export async function runChecks(
  checks: readonly Check[],
  onDone: (results: readonly CheckResult[]) => Promise<unknown>,
): Promise<CheckResult[]> {
  const results = await Promise.all(
    checks.map(async (check) => {
      const found = (await examine(check)).map((finding) => ({ check: check.name, ...finding }));
      await onDone(found);
      return found;
    }),
  );
  return results.flat();
}

async function examine(check: Check): Promise<Finding[]> {
  const { name, bound_ms } = check;
  const signal = AbortSignal.timeout(bound_ms);
  const late = new Promise<Finding[]>((resolve) => {
    signal.addEventListener("abort", () => {
      const message = `The check did not end within ${bound_ms / 1000} s.`;
      resolve([unreachable(name, message, "Run it again with --verbose to see what it waits for.")]);
    });
  });
  try {
    return await Promise.race([check.run(signal), late]);
  } catch (error) {
    const remedy = "This is a bug in anp: report it with the output of --verbose.";
    return [{ level: "error", subject: name, message: (error as Error).message, remedy }];
  }
}
