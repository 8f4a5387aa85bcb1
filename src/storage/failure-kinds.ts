/** Our own code for a value that was read and is gone: nothing that is confirmed is ever removed. */
export const VALUE_GONE = "ERR_VALUE_GONE";

/**
 * Codes of Node's file system calls for what is no value of ours in the place of one: a folder, or more than a string can
 * hold. Every other code but ENOENT is an outage: among them ENOTDIR, where a file is in the place of a folder, perhaps of
 * the storage's own.
 */
const DAMAGE_CODES: ReadonlySet<unknown> = new Set([
  "EISDIR",
  "ERR_FS_FILE_TOO_LARGE",
  "ERR_STRING_TOO_LONG",
  VALUE_GONE,
]);

/** Whether an error of a file system call concerns one key alone: what is stored there is no value of ours. */
export function isFileDamage(error: unknown): boolean {
  return error instanceof Error && "code" in error && DAMAGE_CODES.has(error.code);
}

/** Whether an error reply of Redis does: a list, a set or the like is in the place of a string. */
export function isRedisDamage(error: unknown): boolean {
  return error instanceof Error && /^WRONGTYPE\b/.test(error.message);
}
