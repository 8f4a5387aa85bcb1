import { readFileSync, statSync, type Stats } from "node:fs";
import { ExpectedIdentity, IDENTITY } from "../identity/storage-identity.ts";
import { type LostParts, StorageError, type StorageReplacedError } from "../storage.ts";
import { encodeKey } from "../keys.ts";
import { isSameFile } from "./sealed-folders.ts";

/** Detects that the storage's folder was renamed, emptied, unmounted or replaced. */
export function createFolderIdentity(base: string, pathOf: (key: string) => string) {
  const expected = new ExpectedIdentity();
  const marks = [encodeKey(IDENTITY)];
  const mark = pathOf(marks[0]!);
  let seen: Stats | undefined; // Of the mark's file, when it was last read.
  let lost: StorageReplacedError | undefined;
  let [returns, exchanges] = [0, 0];

  function check(): void {
    if (expected.id === undefined) return;
    let found: StorageReplacedError | undefined;
    try {
      const stats = statSync(mark);
      if (lost === undefined && isSameFile(stats, seen)) return;
      found = expected.judge(base, readFileSync(mark, "utf8"));
      // A copy of the folder, perhaps an older one, took its place.
      if (lost === undefined && found === undefined && seen !== undefined) exchanges++;
      seen = stats;
    } catch (error) {
      found = expected.judge(base, undefined); // Whatever the error, the folder is not known to be ours.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") found!.message += ` (${(error as Error).message})`;
    }
    if (lost !== undefined && found === undefined) returns++;
    lost = found;
    if (found !== undefined) throw found;
  }

  async function around<T>(write: () => Promise<T>): Promise<T> {
    const before = exchanges;
    const checkUnchanged = (): void => {
      check();
      // The write was decided on what was read from another folder.
      if (exchanges !== before) throw new StorageError(`The folder ${base} was exchanged for a copy: try again.`);
    };
    checkUnchanged();
    try {
      return await write();
    } finally {
      checkUnchanged();
    }
  }

  const verify = (): Promise<void> => Promise.resolve().then(check);
  return {
    expected,
    marks,
    verify,
    generation: () => returns + exchanges, // How often the folder came back after it was lost, or was exchanged for a copy.
    /** Before a read: one system call, and only while the folder is lost. @throws StorageReplacedError */
    admit(): void {
      if (lost !== undefined) check();
    },
    check, // Checks the folder: one system call while it is unchanged. @throws StorageReplacedError
    /** Checks that the folder is the expected one; false while none is expected. @throws StorageReplacedError */
    isThere(): boolean {
      check();
      return expected.id !== undefined;
    },
    around, // Runs a write between two checks: a write to another folder is not acknowledged.
    async findLost(): Promise<LostParts> {
      const error = await verify().catch((thrown: unknown) => thrown as StorageReplacedError);
      return { lost: error === undefined ? [] : [error], parts: 1 };
    },
  };
}
