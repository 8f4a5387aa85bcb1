import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rmdir, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createSnapshotStore, parseSnapshot } from "../news/snapshot/snapshot-store.ts";
import { createQuotaRules } from "../accounts/quota-rules.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { createLedger } from "../ledger/ledger.ts";
import { systemClock } from "../runtime/clock.ts";
import { replaced } from "../storage/identity/expected-identity.ts";
import { findIdentity } from "../storage/identity/storage-identity.ts";
import { decodeSegment } from "../storage/keys.ts";
import { lastUseFinding } from "../storage/last-use.ts";
import { ifDamaged, StorageAddressError, StorageError } from "../storage/storage-errors.ts";
import { openStorage } from "../storage/open-storage.ts";
import type { Key, Storage } from "../storage/storage.ts";
import { isUnfinished } from "../storage/unfinished-import.ts";
import { storageRemedy } from "../storage/storage-remedy.ts";
import { failed, type Finding, ok, unreachable, warning } from "../storage/finding.ts";
import type { Check, CheckInput } from "./check.ts";

/** Users whose last free use is looked at. */
const MOST_USERS = 500;
/** Clocks that differ by less count as equal, ms. */
const CLOCK_BOUND_MS = 2000;

const UNFINISHED = failed(
  "contents",
  "This storage is incomplete: `anp storage import` was interrupted, and no other command works on it.",
  "Run the import again with the same backup. If the backup is gone, empty the folder or the database.",
);

/** Whether the storage can be written and read back, what it may lose, and whether its clocks agree with this one. */
export function storageCheck({ loaded, now }: CheckInput): Check {
  const { config, cwd } = loaded;
  return {
    name: "storage",
    bound_ms: 10_000,
    async run() {
      let storage: Storage;
      try {
        storage = await openStorage(config.storage, { mustExist: true, cwd });
      } catch (error) {
        if (error instanceof StorageAddressError) return [failed("address", error.message, "Correct `storage`.")];
        if (!(error instanceof StorageError)) throw error;
        const obstacle = config.storage.startsWith("fs:")
          ? await obstacleTo(resolve(cwd, config.storage.slice(3)))
          : undefined;
        if (obstacle !== undefined) return [unreachable("address", `${error.message} ${obstacle}`, remedy(error))];
        return [
          warning(
            "address",
            error.message,
            "Nothing to fix before the first start: `anp serve` creates it. Otherwise correct `storage` or --storage.",
          ),
        ];
      }
      try {
        return await examine(storage, loaded, now);
      } finally {
        await storage.close();
      }
    },
  };
}

/** Why a missing folder cannot be created; undefined when it can. */
async function obstacleTo(folder: string): Promise<string | undefined> {
  const parent = dirname(folder);
  try {
    if (!(await stat(parent)).isDirectory()) return `${parent} is not a folder.`;
    // A virtual file system such as /proc refuses only the attempt to create something in it.
    await rmdir(await mkdtemp(join(parent, ".anp-doctor-")));
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if ((code === "ENOENT" || code === "ENOTDIR") && !existsSync(parent)) return obstacleTo(parent);
    return `It cannot be created in ${parent}: ${code ?? message}.`;
  }
}

async function examine(storage: Storage, { config, cwd }: LoadedConfig, now: number): Promise<Finding[]> {
  try {
    const findings: Finding[] = [ok("address", storage.url), await roundTrip(storage)];
    // A storage that does not answer is reported once.
    if (findings[1]!.level === "error") return findings;
    findings.push(...(await identityOf(storage, config.storage_id)));
    findings.push(await lastUseFinding(storage, systemClock.now()));
    findings.push(...(await futureQuotaDays(storage, now, config.quota.timezone)));
    if (await isUnfinished(storage)) findings.push(UNFINISHED);
    findings.push(...(await storage.examine(now)));
    if (storage.url.startsWith("fs:")) findings.push(await fileClock(resolve(cwd, storage.url.slice(3))));
    findings.push(...(await newestSnapshot(storage, now)));
    return findings;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return [ok("address", storage.url), unreachable("examination", error.message, remedy(error))];
  }
}

async function identityOf(storage: Storage, expected: string | undefined): Promise<Finding[]> {
  if (storage.identity === undefined) return [];
  const { id, missing, marks, isUnmarked } = await findIdentity(storage, true);
  if (expected !== undefined && id !== expected) {
    const { message } = replaced(storage.url, expected, id);
    return [failed("identity", message, storageRemedy(message, "`storage`"))];
  }
  if (id === undefined) return [ok("identity", "None yet: the first start creates one.")];
  if (missing === 0 || isUnmarked) return [ok("identity", id)];
  return [
    failed(
      "identity",
      `${id}, but ${missing} of its ${marks} marks are missing: a primary lost its data.`,
      "Bring the data of that primary back. To go on without them: `anp storage accept`.",
    ),
  ];
}

/** Looks at the last free use of some users: a day after tomorrow was written by a clock that was wrong. */
async function futureQuotaDays(storage: Storage, now: number, timezone: string): Promise<Finding[]> {
  const quotaRules = createQuotaRules(timezone);
  const ledger = createLedger({ storage, clock: { now: () => now }, quotaRules });
  const found: string[] = [];
  let users = 0;
  for await (const segment of storage.children(["users"])) {
    const user = decodeSegment(segment);
    if (user === undefined) continue;
    const day = (await ifDamaged(ledger.open(user), () => undefined))?.account.free_day ?? "";
    if (quotaRules.dayOf(now, day) < day) found.push(`${user} (${day})`);
    users += 1;
    if (users >= MOST_USERS) break;
  }
  if (found.length === 0) return [];
  return [
    warning(
      "quota days",
      `The last free use of ${found.length} of ${users} users is dated in the future, as of ${found[0]}: a clock was ahead.`,
      "Nothing to do if this machine's clock is right: such a day counts as unused. Otherwise set the clock.",
    ),
  ];
}

function remedy({ message }: StorageError): string {
  return storageRemedy(message, "`storage`");
}

async function roundTrip(storage: Storage): Promise<Finding> {
  const key: Key = ["doctor", randomUUID()];
  const value = JSON.stringify({ probe: key[1] });
  const from = performance.now();
  try {
    const created = await storage.create(key, value);
    const again = await storage.create(key, "{}");
    const read = await storage.get(key);
    await storage.remove(key);
    const left = await storage.has(key);
    if (!created || again || read !== value || left) {
      return failed(
        "round trip",
        "A created value was not read back unchanged, could be created twice, or was not removed.",
        "Do not use this storage: ledgers on it cannot be trusted.",
      );
    }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    // The value may exist although the call failed.
    await storage.remove(key).catch(() => undefined);
    return unreachable("round trip", error.message, remedy(error));
  }
  const ms = Math.ceil(performance.now() - from);
  return ok("round trip", `Created, refused to create again, read and removed in ${ms} ms.`);
}

/** A file's time comes from the machine that has the disk. */
async function fileClock(folder: string): Promise<Finding> {
  const file = join(folder, `.clock-${randomUUID()}.tmp`);
  try {
    const before = Date.now();
    await writeFile(file, "");
    const { mtimeMs } = await stat(file);
    const ahead = mtimeMs > Date.now() ? mtimeMs - Date.now() : Math.min(0, mtimeMs - before);
    if (Math.abs(ahead) <= CLOCK_BOUND_MS) return ok("clock", "The files' clock and this machine's agree.");
    return warning(
      "clock",
      `The files' clock is ${seconds(ahead)} ${ahead > 0 ? "ahead of" : "behind"} this machine's.`,
      "Synchronise both (chrony, systemd-timesyncd).",
    );
  } finally {
    await unlink(file).catch(() => undefined);
  }
}

/** A snapshot from the future was published by a machine whose clock differs. */
async function newestSnapshot(storage: Storage, now: number): Promise<Finding[]> {
  const damaged: number[] = [];
  const onDamage = (version: number): void => {
    damaged.push(version);
  };
  const store = createSnapshotStore(storage, onDamage, parseSnapshot);
  const newest = await store.readNewest(await store.newestNumber());
  const ahead = newest === undefined ? 0 : newest.record.published_ms - now;
  if (ahead > CLOCK_BOUND_MS) {
    return [
      warning(
        "news clock",
        `The newest news snapshot is dated ${seconds(ahead)} ahead of this machine's clock.`,
        "Synchronise the clocks of all machines that run daemons.",
      ),
    ];
  }
  if (damaged.length === 0) return [];
  return [
    failed(
      "news",
      `${damaged.length} of the newest news snapshots are damaged.`,
      "`anp news refresh --mode full` publishes a new one; look for what damaged the storage.",
    ),
  ];
}

function seconds(ms: number): string {
  return `${Math.round(Math.abs(ms) / 1000)} s`;
}
