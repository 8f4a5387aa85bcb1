import { readFileSync, statSync, type Stats } from "node:fs";
import { ExpectedIdentity } from "../identity/expected-identity.ts";
import type { LostParts, StorageIdentity, StorageReplacedError } from "../identity/expected-identity.ts";
import { IDENTITY } from "../identity/storage-identity.ts";
import { encodeKey } from "../keys.ts";

/** Notices that a folder is no longer the one that it was: renamed, emptied, unmounted, replaced. */
export class FolderIdentity implements StorageIdentity {
  readonly expected = new ExpectedIdentity();
  readonly marks = [encodeKey(IDENTITY)];
  readonly #base: string;
  /** The path of the file that holds the identity. */
  readonly #mark: string;
  /** The file of the mark when it was read last. */
  #seen: Stats | undefined;
  #lost: StorageReplacedError | undefined;
  #returns = 0;

  /** @param pathOf the path of the file of a key */
  constructor(base: string, pathOf: (key: string) => string) {
    this.#base = base;
    this.#mark = pathOf(this.marks[0]!);
  }

  /** How often the folder came back after it was lost. */
  generation(): number {
    return this.#returns;
  }

  /** Before a read: one system call, and only while the folder is lost. @throws StorageReplacedError */
  admit(): void {
    if (this.#lost !== undefined) this.check();
  }

  /** Looks at the folder: one system call while it is the same. @throws StorageReplacedError */
  check(): void {
    if (this.expected.id === undefined) return;
    let found: StorageReplacedError | undefined;
    try {
      const stats = statSync(this.#mark);
      if (this.#lost === undefined && isSameFile(stats, this.#seen)) return;
      found = this.expected.judge(this.#base, readFileSync(this.#mark, "utf8"));
      this.#seen = stats;
    } catch (error) {
      // Whatever keeps it from being read: nothing can be said of the folder.
      found = this.expected.judge(this.#base, undefined);
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") found!.message += ` (${(error as Error).message})`;
    }
    if (this.#lost !== undefined && found === undefined) this.#returns++;
    this.#lost = found;
    if (found !== undefined) throw found;
  }

  /** Whether the folder was looked at and is the one; false while any is taken. @throws StorageReplacedError */
  isThere(): boolean {
    this.check();
    return this.expected.id !== undefined;
  }

  verify(): Promise<void> {
    return this.around(() => Promise.resolve());
  }

  async findLost(): Promise<LostParts> {
    const error = await this.verify().catch((thrown: unknown) => thrown as StorageReplacedError);
    return { lost: error === undefined ? [] : [error], parts: 1 };
  }

  /** Runs a write between two looks: what was written into another folder is not acknowledged. */
  async around<T>(write: () => Promise<T>): Promise<T> {
    this.check();
    try {
      return await write();
    } finally {
      this.check();
    }
  }
}

/** Inode numbers are reused, so the time counts too. */
function isSameFile(one: Stats, other: Stats | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev && one.mtimeMs === other.mtimeMs;
}
