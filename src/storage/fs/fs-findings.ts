import { randomUUID } from "node:crypto";
import { link, open, statfs, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Finding } from "../finding.ts";

const MIB = 1024 * 1024;
const MIN_FREE_BYTES = 256 * MIB;

/** File systems that need a warning, by the number that statfs(2) gives (`linux/magic.h`). */
const FILE_SYSTEMS = new Map<number, { name: string; loses?: string }>([
  [0x01021994, { name: "tmpfs", loses: "everything, when the machine restarts: the folder is in memory" }],
  [0x858458f6, { name: "ramfs", loses: "everything, when the machine restarts: the folder is in memory" }],
  [
    0x794c7630,
    { name: "overlayfs", loses: "everything, when the container is removed: the folder is in its own layer" },
  ],
  [0x6969, { name: "NFS", loses: "the last writes, if the server acknowledges before it has them on disk" }],
  [0xff534d42, { name: "CIFS", loses: "the last writes, if the server acknowledges before it has them on disk" }],
  [0xfe534d42, { name: "SMB2", loses: "the last writes, if the server acknowledges before it has them on disk" }],
]);

/** Examines the folder of a storage on files: its file system, free space, and a write as the ledger makes it. */
export async function examineFiles(base: string, makeFolder: (path: string) => Promise<void>): Promise<Finding[]> {
  try {
    await makeFolder(base);
    await writeAndLink(base);
  } catch (error) {
    return [
      {
        level: "error",
        subject: "files",
        message: `${base} cannot be written as the ledger needs it: ${(error as Error).message}`,
        remedy:
          "Give the process a folder of its own on a local disk that has hard links, and the right to write there.",
      },
    ];
  }
  const { type, bavail, bsize } = await statfs(base);
  const free = bavail * bsize;
  const system = FILE_SYSTEMS.get(type);
  return [
    { level: "ok", subject: "files", message: "A file can be written, synced and linked." },
    system?.loses === undefined
      ? { level: "ok", subject: "file system", message: "On a disk of this machine; each write is synced." }
      : {
          level: "warning",
          subject: "file system",
          message: `The folder is on ${system.name}.`,
          loses: system.loses,
          remedy: "Put the storage on a local disk, in a container on a volume.",
        },
    free >= MIN_FREE_BYTES
      ? { level: "ok", subject: "room", message: `${Math.floor(free / MIB)} MiB are free.` }
      : {
          level: "warning",
          subject: "room",
          message: `Only ${Math.floor(free / MIB)} MiB are free.`,
          remedy: "Make room: without it no question can be answered for points.",
        },
  ];
}

async function writeAndLink(base: string): Promise<void> {
  const temp = join(base, `.examination-${randomUUID()}.tmp`);
  const linked = `${temp}-linked.tmp`;
  const file = await open(temp, "wx", 0o600);
  try {
    await file.writeFile("{}");
    await file.sync();
    await link(temp, linked);
    await unlink(linked);
  } finally {
    await file.close();
    await unlink(temp);
  }
}
