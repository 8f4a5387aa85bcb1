/** The storage cannot be reached or refuses a read or a write (disk full, no permission, connection lost). */
export class StorageError extends Error {
  override readonly name: string = "StorageError";
}

/** A stored value is not what was written: the error names the key, and nothing is guessed. */
export class CorruptionError extends StorageError {
  override readonly name = "CorruptionError";
  readonly key: string;
  readonly reason: string;

  constructor(key: string, reason: string) {
    super(`The stored value of ${key} is damaged: ${reason}`);
    this.key = key;
    this.reason = reason;
  }
}

/** The result of a read, or `instead` where the value is damaged. */
export async function ifDamaged<T, U>(
  read: Promise<T>,
  instead: (error: CorruptionError) => U | Promise<U>,
): Promise<T | U> {
  return read.catch((error: unknown) => {
    if (error instanceof CorruptionError) return instead(error);
    throw error;
  });
}

/** The result of a call, or `instead` where the storage does not answer. */
export async function ifOutage<T, U>(
  call: Promise<T>,
  instead: (error: StorageError) => U | Promise<U>,
): Promise<T | U> {
  return call.catch((error: unknown) => {
    if (isOutage(error)) return instead(error);
    throw error;
  });
}

/** Whether the storage does not answer or refuses; false for a damaged value. */
export function isOutage(error: unknown): error is StorageError {
  return error instanceof StorageError && !(error instanceof CorruptionError);
}

/** A storage URL that is not valid: nothing was opened. */
export class StorageAddressError extends Error {
  override readonly name = "StorageAddressError";
}
