import { randomUUID } from "node:crypto";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { DurableFiles } from "./durable-files.ts";
import { failed, type Finding, ok, warning } from "../finding.ts";
import LOSSY_FILE_SYSTEMS from "./lossy-file-systems.json" with { type: "json" };

const MIB = 1024 * 1024;
const MIN_FREE_BYTES = 256 * MIB;

/** File systems that may lose data, by the number that statfs(2) gives (`linux/magic.h`). */
const FILE_SYSTEMS: Readonly<Record<string, { readonly name: string; readonly loses: string }>> = LOSSY_FILE_SYSTEMS;

/** Examines the folder of a storage on files: its file system, free space, and a write as the ledger makes it. */
export async function examineFiles(base: string, files: DurableFiles): Promise<Finding[]> {
  try {
    const path = join(base, `.examination-${randomUUID()}.tmp`);
    await files.create(path, "{}");
    await files.remove(path);
  } catch (error) {
    const message = `${base} cannot be written as the ledger needs it: ${(error as Error).message}`;
    const remedy =
      "Give the process a folder of its own on a local disk that has hard links, and the right to write there.";
    return [{ ...failed("files", message, remedy), unusable: true }];
  }
  const { type, bavail, bsize } = await statfs(base);
  const free = bavail * bsize;
  const mib = Math.floor(free / MIB);
  const system = FILE_SYSTEMS[`0x${type.toString(16)}`];
  const remedy = "Put the storage on a local disk, in a container on a volume.";
  return [
    ok("files", "A file can be written, synced and linked."),
    system === undefined
      ? ok("file system", "On a disk of this machine; each write is synced.")
      : warning("file system", `The folder is on ${system.name}.`, remedy, system.loses),
    free >= MIN_FREE_BYTES
      ? ok("room", `${mib} MiB are free.`)
      : warning("room", `Only ${mib} MiB are free.`, "Make room: without it no question can be answered for points."),
  ];
}
