import { toIso } from "../runtime/clock.ts";
import { type Finding, findingsOf } from "./finding.ts";
import type { Storage } from "./storage.ts";
import { PROBE } from "./write-probe.ts";
import FINDINGS from "./storage-findings.json" with { type: "json" };

const finding = findingsOf(FINDINGS);

const DAY_MS = 86_400_000;
const LONGEST_BEHIND_MS = DAY_MS;
/** A service may have been off for long: only what is beyond any pause is taken for a wrong clock. */
const LONGEST_AHEAD_MS = 366 * DAY_MS;

/**
 * Compares the machine's clock with the time when a daemon last used the storage, which it notes every few seconds. A
 * clock that is far from it is wrong, or an earlier one was: entries, tokens and quota days would be dated wrongly.
 *
 * @param now the machine's clock, ms since 1970
 */
export async function lastUseFinding(storage: Storage, now: number): Promise<Finding> {
  const at = /"at":"([^"]+)"/.exec((await storage.get(PROBE)) ?? "")?.[1] ?? "";
  const last = Date.parse(at);
  return Number.isNaN(last) ? finding("neverUsed") : judgeClock(now, last);
}

/** @param last when the storage was last used, ms since 1970 */
export function judgeClock(now: number, last: number): Finding {
  let difference = now - last > LONGEST_AHEAD_MS ? "more than a year ahead of" : undefined;
  if (last - now > LONGEST_BEHIND_MS) difference = "more than a day behind";
  const values = { now: toIso(now), last: toIso(last), difference };
  return finding(difference === undefined ? "lastUse" : "wrongClock", values);
}
