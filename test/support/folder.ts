import { accessSync, constants, statfsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Linux's file system in memory, where the thousands of writes that tests sync take no time. */
const MEMORY = "/dev/shm";
/** Less is free in a container that was given no more than the usual 64 MB, bytes. */
const ROOM = 2 ** 30;

export interface TemporaryFolder {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

const fast = hasRoom(MEMORY) ? MEMORY : tmpdir();

/** A new empty folder and the way to remove it: in memory, where the machine has room there. */
export function temporaryFolder(): Promise<TemporaryFolder> {
  return folderIn(fast);
}

/** A new empty folder in a file system as a deployment has it, and the way to remove it. */
export function folderOnDisk(): Promise<TemporaryFolder> {
  return folderIn(tmpdir());
}

async function folderIn(parent: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(parent, "anp-test-"));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 10 }) };
}

function hasRoom(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}
