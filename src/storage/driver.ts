import type { Driver } from "unstorage";
import type { Finding } from "./finding.ts";
import type { CreateOutcome } from "./storage.ts";

/**
 * An unstorage driver with what the storage needs besides. Keys are encoded (see `keys.ts`), values are text.
 */
export interface StorageDriver extends Driver {
  /** Text as it is stored: without these two, unstorage would parse and serialize values itself. */
  readonly getItemRaw: NonNullable<Driver["getItemRaw"]>;
  readonly setItemRaw: NonNullable<Driver["setItemRaw"]>;
  /** Whether an acknowledged write survives the end of the process. */
  readonly durable: boolean;
  /** Rises when values that existed may be lost; absent where that does not happen. */
  readonly generation?: () => number;
  /** Creates the value if the key is absent, atomically and durably. False when the key has a value already. */
  createItem(key: string, value: string): Promise<boolean>;
  /** Creates the value likewise, but only while its predecessor exists. */
  createItemAfter(key: string, value: string, predecessor: Predecessor): Promise<CreateOutcome>;
  /**
   * Makes a value that was read as safe as an acknowledged one; absent where every value that can be read is. It throws
   * when the key has another value.
   */
  readonly confirmItem?: (key: string, value: string) => Promise<void>;
  /** The values of several keys at once, where the driver has a faster way than one by one. */
  readonly getMany?: (keys: readonly string[]) => Promise<(string | null)[]>;
  /** The distinct segments right below `prefix` (an encoded key, or empty for the root). */
  children(prefix: string): AsyncIterable<string>;
  /** All keys below `prefix`, in no order, some perhaps more than once. */
  keys(prefix: string): AsyncIterable<string>;
  /** What an operator should know about this storage: what it may lose, and the setting that fixes it. */
  examine(now: number): Promise<Finding[]>;
  /** Removes what killed writers left behind; absent where they leave nothing. Returns how many things it removed. */
  readonly tidy?: (now: number, signal?: AbortSignal) => Promise<number>;
}

/** What must exist for a value to be created. */
export interface Predecessor {
  /** An encoded key that shares its first two segments with the key to create. */
  readonly key: string;
  /** Its value; a driver whose server may lose acknowledged writes compares it, the others only check that the key exists. */
  readonly value?: string;
}
