import type { Driver } from "unstorage";
import type { Finding } from "./health/finding.ts";
import type { StorageIdentity } from "./identity/expected-identity.ts";
import type { CreateOutcome, Predecessor } from "./storage.ts";

/** An unstorage driver with what the storage needs besides. Keys are encoded (see `keys.ts`), values are text. */
export interface StorageDriver extends Driver {
  /** Text as it is stored: without these two, unstorage would parse and serialize values itself. */
  readonly getItemRaw: NonNullable<Driver["getItemRaw"]>;
  readonly setItemRaw: NonNullable<Driver["setItemRaw"]>;
  readonly durable: boolean;
  /** Rises when values that existed may be lost; absent where that does not happen. */
  readonly generation?: () => number;
  /** How it notices that another storage is in the place of this one; absent where none can be. */
  readonly identity?: StorageIdentity;
  /** Creates the value if the key is absent, atomically and durably; one with a predecessor, only while that exists. */
  createItem(key: string, value: string, predecessor?: Predecessor<string>): Promise<CreateOutcome>;
  /** As `Storage.append`, to the stream of an encoded key, and keeps the head of the stream with the item. */
  appendItem(stem: string, version: number, value: string, previous?: string): Promise<AppendItemOutcome>;
  /** Number of an item that is, or is known to have been, in the stream after number `end`; undefined for none. */
  laterItem(stem: string, end: number): number | undefined | Promise<number | undefined>;
  /** As `Storage.confirm`, throwing for another value; absent where every value that can be read is safe. */
  readonly confirmItem?: (key: string, value: string) => Promise<void>;
  /** The values of several keys at once, where the driver has a faster way than one by one. */
  readonly getMany?: (keys: readonly string[]) => Promise<(string | null | undefined)[]>;
  /** The distinct segments right below `prefix` (an encoded key, or empty for the root); absent to take them from `keys`. */
  readonly children?: (prefix: string) => AsyncIterable<string>;
  /** All keys below `prefix`, in no order, some perhaps more than once. With `kind`, those may do that have this segment
   * after the next one. */
  readonly keys: (prefix: string, kind?: string) => AsyncIterable<string>;
  /** As `Storage.discard`; absent where removing is enough. */
  readonly discardItem?: (key: string) => Promise<void>;
  examine(now: number): Promise<Finding[]>;
  /** Whether a failed call found something that is not a value of ours under its key. Any other failure is an outage. */
  readonly isDamage?: (error: unknown) => boolean;
  /** Removes what killed writers left behind; absent where they leave nothing. Returns how many things it removed. */
  readonly tidy?: (now: number, signal?: AbortSignal) => Promise<number>;
}

/** The result of appending an item. A `hole`: its number is free, although it or a later item was stored. */
export type AppendItemOutcome = CreateOutcome | "hole";
