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

/** Whether the storage does not answer or refuses; false for a damaged value. */
export const isOutage = (error: unknown): error is StorageError =>
  error instanceof StorageError && !(error instanceof CorruptionError);

/** The result of a read, or `instead` where the value is damaged. */
export const ifDamaged = unlessFailed((error) => error instanceof CorruptionError);
/** The result of a call, or `instead` where the storage does not answer. */
export const ifOutage = unlessFailed(isOutage);
/** The result of a call, or `instead` whatever the storage's error. */
export const ifFailed = unlessFailed((error) => error instanceof StorageError);
/** The result of a call, or its error. */
export const orError = <T>(call: Promise<T>): Promise<T | StorageError> => ifFailed(call, (error) => error);

function unlessFailed<E>(isExpected: (error: unknown) => error is E) {
  return <T, U>(call: Promise<T>, instead: (error: E) => U | Promise<U>): Promise<T | U> =>
    call.catch((error: unknown) => {
      if (isExpected(error)) return instead(error);
      throw error;
    });
}

/** A storage URL that is not valid: nothing was opened. */
export class StorageAddressError extends Error {
  override readonly name = "StorageAddressError";
}
