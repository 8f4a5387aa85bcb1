import type { Driver } from "unstorage";

/**
 * An unstorage driver with what the stream needs besides. Keys are encoded (see `keys.ts`), values are text.
 */
export interface CreatingDriver extends Driver {
  /** Whether an acknowledged write survives the end of the process. */
  readonly durable: boolean;
  /** Creates the value if the key is absent, atomically and durably. False when something is there already. */
  createItem(key: string, value: string): Promise<boolean>;
  /** The values of several keys at once, where the driver has a faster way than one by one. */
  readonly getMany?: (keys: readonly string[]) => Promise<(string | null)[]>;
  /** The distinct segments right below `prefix` (an encoded key, or empty for the root). */
  children(prefix: string): AsyncIterable<string>;
}
