import { randomUUID } from "node:crypto";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { DurableFiles } from "./durable-files.ts";
import { type Finding, findingsOf } from "../finding.ts";
import FINDINGS from "../storage-findings.json" with { type: "json" };
import LOSSY_FILE_SYSTEMS from "./lossy-file-systems.json" with { type: "json" };

const finding = findingsOf(FINDINGS);

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
    return [finding("filesUnwritable", { base, reason: (error as Error).message })];
  }
  const { type, bavail, bsize } = await statfs(base);
  const free = bavail * bsize;
  const system = FILE_SYSTEMS[`0x${type.toString(16)}`];
  return [
    finding("filesWritable"),
    system === undefined ? finding("localDisk") : finding("lossyDisk", { ...system }),
    finding(free >= MIN_FREE_BYTES ? "room" : "littleRoom", { mib: Math.floor(free / MIB) }),
  ];
}
