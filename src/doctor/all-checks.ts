import { type Check, type CheckInput, finding } from "./check.ts";
import { checkClock, checkFixtures, checkVersions } from "./installation-checks.ts";
import { checkConfig } from "./config-check.ts";
import { checkDaemon, type DaemonInput } from "./daemon-check.ts";
import { checkKeys, KEYS_MS } from "./jwks-check.ts";
import { checkModel, MODEL_MS } from "./model-check.ts";
import { checkPorts, PORT_MS } from "./port-check.ts";
import { checkSources, longestSourcesCheck } from "./sources-check.ts";
import { checkStorage } from "./storage-check.ts";

/** All checks, in the order in which they are reported. */
export const allChecks = (input: CheckInput): Check[] => [
  { name: "config", bound_ms: 2000, run: () => checkConfig(input) },
  { name: "storage", bound_ms: 10_000, run: () => checkStorage(input) },
  { name: "clock", bound_ms: 1000, run: () => checkClock(input) },
  { name: "port", bound_ms: PORT_MS, run: () => checkPorts(input) },
  { name: "model", bound_ms: MODEL_MS, run: (signal) => checkModel(input, signal) },
  { name: "platform tokens", bound_ms: KEYS_MS, run: (signal) => checkKeys(input, signal) },
  { name: "news", bound_ms: longestSourcesCheck(input), run: (signal) => checkSources(input, signal) },
  { name: "fixtures", bound_ms: 2000, run: () => checkFixtures(input) },
  VERSIONS,
];

/** The checks of a running daemon, from outside. */
export function checksOfDaemon(target: DaemonInput): Check[] {
  return [{ name: "daemon", bound_ms: 30_000, run: () => checkDaemon(target) }, VERSIONS];
}

const VERSIONS: Check = { name: "versions", bound_ms: 3000, run: checkVersions };

/** The checks that need no configuration, for one that is not valid: its errors are findings too. */
export function checksWithout(errors: readonly string[]): Check[] {
  const found = errors.map((message) => finding("invalid", { message }));
  return [{ name: "config", bound_ms: 1000, run: () => Promise.resolve(found) }, VERSIONS];
}
