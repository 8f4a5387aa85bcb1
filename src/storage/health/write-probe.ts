import { DAY_MS, systemClock, toIso } from "../../runtime/clock.ts";
import { within } from "../../runtime/within.ts";
import { type Finding, findingsOf } from "./finding.ts";
import { StorageError } from "../storage-errors.ts";
import FINDINGS from "./storage-findings.json" with { type: "json" };
import type { Key, Storage } from "../storage.ts";

/** Holds when the storage was probed last, as `{ "at": "2026-11-20T00:00:00.000Z" }`, by the machine's clock. */
const PROBE: Key = ["ready", "probe"];
/** Of so many keys one must work where a part of the storage may fail alone: their places differ. */
const KEYS_OF_PARTS = 6;
const BOUND_MS = 3000;
/** How long its result is used, ms. */
const RESULT_MS = 1000;

/** Finds out whether a storage can be read and written. */
export function createWriteProbe(storage: Storage) {
  const marks = storage.identity?.marks.length ?? 1;
  const keys = Array.from({ length: marks > 1 ? KEYS_OF_PARTS : 1 }, (_, number): Key => {
    return number === 0 ? PROBE : ["ready", `probe-${number}`];
  });
  let running: Promise<void> | undefined;
  let last: { readonly result: Promise<void>; readonly at: number } | undefined;

  async function write(key: Key): Promise<void> {
    await storage.verify(key);
    await storage.get(key);
    await noteUse(storage, key);
  }

  function run(): Promise<void> {
    if (running !== undefined) return running;
    const written = Promise.any(keys.map(write)).catch((error: unknown) => {
      throw (error as AggregateError).errors[0];
    });
    running = within(written, BOUND_MS, () => {
      throw new StorageError(`The storage did not take a write within ${BOUND_MS / 1000} s.`);
    }).finally(() => (running = undefined));
    last = { result: running, at: performance.now() };
    return running;
  }

  return {
    /** Reads and writes. @throws StorageError when that fails, or takes too long */
    run,
    /** The result of a probe that is at most a second old. @throws StorageError likewise */
    recent: () => (last !== undefined && performance.now() - last.at < RESULT_MS ? last.result : run()),
  };
}

/** Notes that the storage is in use now. */
export async function noteUse(storage: Storage, key = PROBE): Promise<void> {
  await storage.put(key, JSON.stringify({ at: toIso(systemClock.now()) }));
}

/** Compares the machine's clock with the time when a daemon last used the storage, which it notes every few seconds. A
 * clock that is far from it is wrong, or an earlier one was: entries, tokens and quota days would be dated wrongly. A
 * service may have been off for long: only what is beyond any pause, a year, counts as ahead.
 * @param now the machine's clock, ms since 1970 */
export async function lastUseFinding(storage: Storage, now: number): Promise<Finding> {
  const at = /"at":"([^"]+)"/.exec((await storage.get(PROBE)) ?? "")?.[1] ?? "";
  const last = Date.parse(at);
  const finding = findingsOf(FINDINGS);
  if (Number.isNaN(last)) return finding("neverUsed");
  let difference = now - last > 366 * DAY_MS ? "more than a year ahead of" : undefined;
  if (last - now > DAY_MS) difference = "more than a day behind";
  return finding(difference === undefined ? "lastUse" : "wrongClock", {
    now: toIso(now),
    last: toIso(last),
    difference,
  });
}
