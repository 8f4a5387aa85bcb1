import { DAY_MS, systemClock, toIso } from "../../runtime/clock.ts";
import { interceptStorage } from "../intercept-storage.ts";
import { type Key, StorageError, type Storage } from "../storage.ts";
import { findingsOf } from "./finding.ts";
import FINDINGS from "./storage-findings.json" with { type: "json" };
import { withTimeout } from "../../runtime/with-timeout.ts";

/** Holds when the storage was used last, as `{ "at": "2026-11-20T00:00:00.000Z" }`, by the machine's clock. */
export const LAST_USE: Key = ["ready", "probe"];

/** Notes that the storage is in use now. */
export async function recordLastUse(storage: Storage, key = LAST_USE): Promise<void> {
  await storage.put(key, JSON.stringify({ at: toIso(systemClock.now()) }));
}

const lastUseOf = async (storage: Storage): Promise<number> =>
  Date.parse(/"at":"([^"]+)"/.exec((await storage.get(LAST_USE)) ?? "")?.[1] ?? "");

/** Compares the machine's clock (`now`, ms since 1970) with the last use of the storage, which a daemon notes every few
 * seconds and a command when it writes. If they are far apart, this clock or the earlier one is wrong: entries, tokens
 * and quota days would get wrong dates. A service may have been stopped for long, so only more than a year is ahead. */
export async function lastUseFinding(storage: Storage, now: number, isMachine = true) {
  const last = await lastUseOf(storage);
  const finding = findingsOf(FINDINGS);
  if (Number.isNaN(last)) return finding("neverUsed");
  let difference = now - last > 366 * DAY_MS ? "more than a year ahead of" : undefined;
  if (last - now > DAY_MS) difference = "more than a day behind";
  const wrong = isMachine ? "wrongClock" : "wrongNow"; // `now` is the machine's clock, or the instant of `--now`.
  return finding(difference === undefined ? "lastUse" : wrong, { now: toIso(now), last: toIso(last), difference });
}

/** The same storage for a command: it only reads if its clock is far from the last use. Else its first write notes the
 * use, at most once an hour and not with `--now`.
 * @param now the instant of `--now`, ms since 1970 */
export function guardLastUse(storage: Storage, now: number | undefined): Storage {
  const check = async (): Promise<void> => {
    const found = await lastUseFinding(storage, now ?? systemClock.now(), now === undefined);
    if (found.unusable === true) throw new StorageError(found.message);
    const isRecent = systemClock.now() - (await lastUseOf(storage)) < DAY_MS / 24;
    if (now === undefined && !isRecent) await recordLastUse(storage);
  };
  let first: Promise<void> | undefined;
  return interceptStorage(storage, async (call, _key, run) => {
    const isWrite = call === "create" || call === "put" || call === "remove";
    if (isWrite) await (first ??= check());
    return run();
  });
}

const KEYS_OF_PARTS = 6; // If parts can fail alone: one of this many keys, on different parts, must work.
const BOUND_MS = 3000;
const RESULT_MS = 1000; // How long its result is used, ms.

/** Checks whether a storage can be read and written. @param isFixed if the clock is `--now`, it is no use of the storage */
export function createWriteProbe(storage: Storage, isFixed = false) {
  const marks = storage.identity?.marks.length ?? 1;
  const keys = Array.from({ length: marks > 1 ? KEYS_OF_PARTS : 1 }, (_, number): Key => {
    return number === 0 ? LAST_USE : ["ready", `probe-${number}`];
  });
  let running: Promise<void> | undefined;
  let last: { readonly result: Promise<void>; readonly at: number } | undefined;

  async function write(key: Key): Promise<void> {
    await storage.verify(key);
    const found = await storage.get(key);
    await (isFixed ? storage.put(key, found ?? "{}") : recordLastUse(storage, key));
  }

  function run(): Promise<void> {
    if (running !== undefined) return running;
    const written = Promise.any(keys.map(write)).catch((error: unknown) => {
      throw (error as AggregateError).errors[0];
    });
    running = withTimeout(written, BOUND_MS, () => {
      throw new StorageError(`The storage did not take a write within ${BOUND_MS / 1000} s.`);
    }).finally(() => (running = undefined));
    last = { result: running, at: performance.now() };
    return running;
  }

  return {
    run, // Reads and writes. @throws StorageError when that fails, or takes too long
    /** The result of a probe that is at most a second old. @throws StorageError when it failed */
    recent: () => (last !== undefined && performance.now() - last.at < RESULT_MS ? last.result : run()),
  };
}
