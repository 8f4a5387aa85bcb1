import type { Finding } from "../storage/finding.ts";
import { type Check, type CheckInput, finding } from "./check.ts";
import { checkClock, checkFixtures, checkVersions } from "./installation-checks.ts";
import { checkConfig } from "./config-check.ts";
import { checkKeys, KEYS_MS } from "./jwks-check.ts";
import { checkModel, MODEL_MS } from "./model-check.ts";
import { checkServerPort, PORT_MS } from "./port-check.ts";
import { checkSources, longestSourcesCheck } from "./sources-check.ts";
import { checkStorage } from "./storage-check.ts";

/** All checks, in the order in which they are reported. */
export function allChecks(input: CheckInput): Check[] {
  const check = (
    name: string,
    bound_ms: number,
    examine: (input: CheckInput, signal: AbortSignal) => Promise<Finding[]>,
  ): Check => ({ name, bound_ms, run: (signal) => examine(input, signal) });
  return [
    check("config", 2000, checkConfig),
    check("storage", 10_000, checkStorage),
    check("clock", 1000, checkClock),
    check("port", PORT_MS, checkServerPort),
    check("model", MODEL_MS, checkModel),
    check("platform tokens", KEYS_MS, checkKeys),
    check("news", longestSourcesCheck(input), checkSources),
    check("fixtures", 2000, checkFixtures),
    VERSIONS,
  ];
}

const VERSIONS: Check = { name: "versions", bound_ms: 3000, run: checkVersions };

/** The checks that need no configuration, for one that is not valid: its errors are findings too. */
export function checksWithout(errors: readonly string[]): Check[] {
  const found = errors.map((message) => finding("invalid", { message }));
  return [{ name: "config", bound_ms: 1000, run: () => Promise.resolve(found) }, VERSIONS];
}
