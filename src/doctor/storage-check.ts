import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rmdir, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createSnapshotStore } from "../news/snapshot/snapshot-store.ts";
import { StorageAddressError, StorageError } from "../storage/storage-errors.ts";
import { openStorage } from "../storage/open-storage.ts";
import type { Key, Storage } from "../storage/storage.ts";
import { isUnfinished } from "../storage/unfinished-import.ts";
import { storageRemedy } from "../storage/storage-remedy.ts";
import { type Check, type DoctorFinding, type CheckInput, failed, ok, unreachable, warning } from "./check.ts";

/** Clocks that differ by less count as equal, ms. */
const CLOCK_BOUND_MS = 2000;

const UNFINISHED = failed(
  "contents",
  "This storage is incomplete: `anp storage import` was interrupted, and no other command works on it.",
  "Run the import again with the same backup. If the backup is gone, empty the folder or the database.",
);

/** Whether the storage can be written and read back, what it may lose, and whether its clocks agree with this one. */
export function storageCheck({ loaded: { config }, now }: CheckInput): Check {
  return {
    name: "storage",
    bound_ms: 10_000,
    async run() {
      let storage: Storage;
      try {
        storage = await openStorage(config.storage, { mustExist: true });
      } catch (error) {
        if (error instanceof StorageAddressError) return [failed("address", error.message, "Correct `storage`.")];
        if (!(error instanceof StorageError)) throw error;
        const obstacle = config.storage.startsWith("fs:")
          ? await obstacleTo(resolve(config.storage.slice(3)))
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
        return await examine(storage, now);
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

async function examine(storage: Storage, now: number): Promise<DoctorFinding[]> {
  try {
    const findings: DoctorFinding[] = [ok("address", storage.url), await roundTrip(storage)];
    // A storage that does not answer is reported once.
    if (findings[1]!.level === "error") return findings;
    if (await isUnfinished(storage)) findings.push(UNFINISHED);
    findings.push(...(await storage.examine(now)));
    if (storage.url.startsWith("fs:")) findings.push(await fileClock(storage.url.slice(3)));
    findings.push(...(await newestSnapshot(storage, now)));
    return findings;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return [ok("address", storage.url), unreachable("examination", error.message, remedy(error))];
  }
}

function remedy({ message }: StorageError): string {
  return storageRemedy(message, "`storage`");
}

async function roundTrip(storage: Storage): Promise<DoctorFinding> {
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
async function fileClock(folder: string): Promise<DoctorFinding> {
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
async function newestSnapshot(storage: Storage, now: number): Promise<DoctorFinding[]> {
  const damaged: number[] = [];
  const store = createSnapshotStore(storage, (version) => {
    damaged.push(version);
  });
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
