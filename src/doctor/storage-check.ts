import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rmdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parseSnapshot, type SourceState } from "../news/snapshot/snapshot-document.ts";
import { remedyOf } from "../news/sources/source-error.ts";
import { isDisabled } from "../news/sources/source-pacing.ts";
import { createSnapshotStore } from "../news/snapshot/snapshot-store.ts";
import { tokenRecord } from "../accounts/tokens.ts";
import { batchesOf, take } from "../runtime/batches.ts";
import { checkDocument, printKey, readEach } from "../storage/documents.ts";
import { createQuotaRules } from "../accounts/quota-rules.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { createLedger } from "../ledger/ledger.ts";
import { systemClock } from "../runtime/clock.ts";
import { findIdentity, replacedError } from "../storage/identity/storage-identity.ts";
import { decodeSegment, UNFINISHED_IMPORT } from "../storage/keys.ts";
import { lastUseFinding } from "../storage/health/last-use.ts";
import { catchDamage, StorageAddressError, StorageError, type Key, type Storage } from "../storage/storage.ts";
import { openStorage } from "../storage/open-storage.ts";
import { storageRemedy } from "../storage/health/storage-remedy.ts";
import type { Finding } from "../storage/health/finding.ts";
import { type CheckInput, finding } from "./check.ts";

const MAX_USERS = 500; // Users whose last free use is looked at.
const USERS_MS = 3000; // How long they are looked at.
const MAX_TOKENS = 500; // Tokens of users, and of operators, whose records are looked for.
/** Clocks that differ by less count as equal, ms. */
export const CLOCK_BOUND_MS = 2000;

/** Whether the storage can be written and read back, what it may lose, and whether its clocks agree with this one. */
export async function checkStorage({ loaded, now }: CheckInput, signal: AbortSignal): Promise<Finding[]> {
  const began = performance.now();
  const { config, cwd } = loaded;
  let storage: Storage;
  try {
    storage = await openStorage(config.storage, { mustExist: true, cwd });
  } catch (error) {
    const reason = (error as Error).message;
    if (error instanceof StorageAddressError) return [finding("badAddress", { reason })];
    if (!(error instanceof StorageError)) throw error;
    const folder = config.storage.startsWith("fs:") ? resolve(cwd, config.storage.slice(3)) : undefined;
    const identity = config.storage_id && `It should have the identity ${config.storage_id}.`;
    const problem = identity ?? (folder && (await creationProblem(folder)));
    if (problem === undefined) return [finding("noStorage", { reason })];
    return [finding("blockedAddress", { reason, obstacle: problem, remedy: storageRemedy(reason) })];
  }
  signal.addEventListener("abort", () => void storage.close().catch(() => undefined)); // What still waits would keep the process alive.
  try {
    return await examine(storage, loaded, () => now + performance.now() - began);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return [finding("address", { url: storage.url }), finding("unexamined", failureOf(error))];
  } finally {
    await storage.close();
  }
}

async function creationProblem(folder: string): Promise<string | undefined> {
  const parent = dirname(folder);
  try {
    if (!(await stat(parent)).isDirectory()) return `${parent} is not a folder.`;
    // A virtual file system such as /proc refuses only the attempt to create something in it.
    await rmdir(await mkdtemp(join(parent, ".anp-doctor-")));
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if ((code === "ENOENT" || code === "ENOTDIR") && !existsSync(parent)) return creationProblem(parent);
    return `It cannot be created in ${parent}: ${code ?? message}.`;
  }
}

async function examine(storage: Storage, { config }: LoadedConfig, now: () => number): Promise<Finding[]> {
  const findings: Finding[] = [finding("address", { url: storage.url }), await roundTrip(storage)];
  if (findings[1]!.level === "error") return findings; // A storage that does not answer is reported once.
  findings.push(...(await identityOf(storage, config.storage_id)), await lastUseFinding(storage, systemClock.now()));
  findings.push(...(await futureQuotaDays(storage, now(), config.quota.timezone)));
  findings.push(...(await checkTokens(storage)));
  if (await storage.has(UNFINISHED_IMPORT)) findings.push(finding("unfinishedImport"));
  findings.push(...(await storage.examine(now(), true)));
  findings.push(...(await newestSnapshot(storage, now())));
  return findings;
}

async function identityOf(storage: Storage, expected: string | undefined): Promise<Finding[]> {
  if (storage.identity === undefined) return [];
  const { id, missing, marks, isUnmarked } = await findIdentity(storage, true);
  if (expected !== undefined && id !== expected)
    return [finding("otherIdentity", failureOf(replacedError(storage.url, expected, id)))];
  if (id === undefined) return [finding("noIdentity")];
  return [finding(missing === 0 || isUnmarked ? "identity" : "lostMarks", { id, missing, marks })];
}

/** Looks at the last free use of some users: a day after tomorrow was written by a clock that was wrong. */
async function futureQuotaDays(storage: Storage, now: number, timezone: string): Promise<Finding[]> {
  const quotaRules = createQuotaRules(timezone);
  const ledger = createLedger({ storage, clock: { now: () => now }, quotaRules });
  const found: string[] = [];
  const began = performance.now();
  let users = 0;
  for await (const some of batchesOf(take(storage.children(["users"]), MAX_USERS), 32)) {
    const days = some.map(async (segment) => {
      const user = decodeSegment(segment);
      const read = user === undefined ? undefined : await catchDamage(ledger.open(user), () => undefined);
      const day = read?.account.free_day ?? "";
      if (quotaRules.dayOf(now, day) < day) found.push(`${user} (${day})`);
    });
    users += (await Promise.all(days)).length;
    if (performance.now() - began > USERS_MS) break;
  }
  if (found.length > 0) return [finding("futureDays", { count: found.length, users, first: found[0] })];
  return performance.now() - began > USERS_MS ? [finding("someUsers", { users, seconds: USERS_MS / 1000 })] : [];
}

/** Looks at the records of some listed tokens: without a readable one, a token is refused; an operator's should expire. */
async function checkTokens(storage: Storage): Promise<Finding[]> {
  const keys: Key[] = [];
  for (const prefix of [["users"], ["operators", "users"]])
    for await (const key of take(storage.keys(prefix, "tokens"), MAX_TOKENS))
      keys.push([...key.slice(0, -4), ...key.slice(-2)]);
  const texts = await readEach(storage, keys);
  const [lost, endless]: [string[], string[]] = [[], []];
  for (const [index, key] of keys.entries()) {
    const record = checkDocument(key, texts[index], tokenRecord) ?? new Error(`${printKey(key)} is missing`);
    if (record instanceof Error) lost.push(record.message);
    else if (record.role && (record.expires_at ?? record.revoked_at) === null) endless.push(record.user_id);
  }
  const [first, names] = [lost[0], endless.sort().join(", ")];
  const found = first === undefined ? [] : [finding("lostTokens", { count: lost.length, tokens: keys.length, first })];
  return names === "" ? found : [...found, finding("endlessTokens", { names })];
}

const failureOf = ({ message: reason }: StorageError) => ({ reason, remedy: storageRemedy(reason) });

async function roundTrip(storage: Storage): Promise<Finding> {
  const key: Key = ["doctor", randomUUID()];
  const value = JSON.stringify({ probe: key[1] });
  const from = performance.now();
  try {
    const created = await storage.create(key, value);
    const again = await storage.create(key, "{}");
    const read = await storage.get(key);
    await storage.remove(key);
    if (!created || again || read !== value || (await storage.has(key))) return finding("brokenRoundTrip");
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    await storage.remove(key).catch(() => undefined); // The value may exist although the call failed.
    return finding("noRoundTrip", failureOf(error));
  }
  return finding("roundTrip", { ms: Math.ceil(performance.now() - from) });
}

/** The states of the sources in the newest snapshot; none if the storage cannot be read, which its check reports. */
export async function readSourceStates({ config, cwd }: LoadedConfig): Promise<SourceState[]> {
  const storage = await openStorage(config.storage, { mustExist: true, cwd }).catch(() => undefined);
  const store = storage && createSnapshotStore(storage, () => undefined);
  const reading = store?.newestNumber().then((number) => store.readNewest(number, parseSnapshot));
  const newest = await reading?.catch(() => undefined);
  await storage?.close();
  return newest?.record.sources ?? [];
}

/** A snapshot from the future was published by a machine whose clock differs. */
async function newestSnapshot(storage: Storage, now: number): Promise<Finding[]> {
  const damaged: number[] = [];
  const store = createSnapshotStore(storage, (version) => damaged.push(version));
  const newest = await store.readNewest(await store.newestNumber(), parseSnapshot);
  const ahead = newest === undefined ? 0 : newest.record.published_ms - now;
  if (ahead > CLOCK_BOUND_MS) return [finding("futureNews", { seconds: seconds(ahead) })];
  const wrong = (newest?.record.sources ?? []).flatMap(({ id, last_error, ...source }) => {
    const { failure = "", items } = source;
    const remedy = remedyOf({ ...source, failure });
    if (failure === "empty" && source.kind !== "news") return finding("emptySource", { id, items, remedy });
    if (!isDisabled(source)) return [];
    const failures = source.failures === 1 ? "a failure" : `${source.failures} failures in a row`;
    const until = items > 0 ? " Until then its last good content is used." : "";
    return finding("disabledSource", { id, failures, reason: last_error, remedy, until });
  });
  return damaged.length === 0 ? wrong : [finding("damagedNews", { count: damaged.length }), ...wrong];
}

export const seconds = (ms: number): string => `${Math.round(Math.abs(ms) / 1000)} s`;
