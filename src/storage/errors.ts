/** The storage cannot be reached or refuses a read or a write (disk full, no permission, connection lost). */
export class StorageError extends Error {
  override readonly name: string = "StorageError";
}

/** A stored value is not what was written: the key is named, and nothing is guessed. */
export class CorruptionError extends StorageError {
  override readonly name = "CorruptionError";
  readonly key: string;

  constructor(key: string, reason: string) {
    super(`The stored value of ${key} is damaged: ${reason}`);
    this.key = key;
  }
}
