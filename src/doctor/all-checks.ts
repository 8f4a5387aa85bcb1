import type { Check, CheckInput } from "./check.ts";
import { clockCheck } from "./clock-check.ts";
import { configCheck } from "./config-check.ts";
import { fixturesCheck } from "./fixtures-check.ts";
import { jwksCheck } from "./jwks-check.ts";
import { modelCheck } from "./model-check.ts";
import { portCheck } from "./port-check.ts";
import { sourcesCheck } from "./sources-check.ts";
import { storageCheck } from "./storage-check.ts";
import { versionsCheck } from "./versions-check.ts";

/** All checks, in the order in which they are reported. */
export function allChecks(examined: CheckInput): Check[] {
  return [
    configCheck(examined),
    storageCheck(examined),
    clockCheck(examined),
    portCheck(examined),
    modelCheck(examined),
    jwksCheck(examined),
    sourcesCheck(examined),
    fixturesCheck(examined),
    versionsCheck(),
  ];
}
