/** Our own code for a value that was read and is gone: nothing that is confirmed is ever removed. */
export const VALUE_GONE = "ERR_VALUE_GONE";

/** What is no value in the place of one. Others but ENOENT are outages: for ENOTDIR, the storage's own folder may be a file. */
const DAMAGE_CODES: readonly unknown[] = ["EISDIR", "ERR_FS_FILE_TOO_LARGE", "ERR_STRING_TOO_LONG", VALUE_GONE];

/** Whether an error of a file system call concerns one key alone: what is stored there is no value of ours. */
export function isFileDamage(error: unknown): boolean {
  return error instanceof Error && "code" in error && DAMAGE_CODES.includes(error.code);
}

/** Whether an error reply of Redis does: a list, a set or the like is in the place of a string. */
export function isRedisDamage(error: unknown): boolean {
  return error instanceof Error && /^WRONGTYPE\b/.test(error.message);
}
