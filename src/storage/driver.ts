import type { Driver } from "unstorage";
import type { Finding } from "./health/finding.ts";
import type { AppendOptions, CreateOutcome, Predecessor, StorageIdentity } from "./storage.ts";

/** An unstorage driver with further methods for the storage. Keys are encoded (see `keys.ts`), values are text. */
export interface StorageDriver extends Driver {
  /** Text as it is stored: without these two, unstorage would parse and serialize values itself. */
  readonly getItemRaw: NonNullable<Driver["getItemRaw"]>;
  readonly setItemRaw: NonNullable<Driver["setItemRaw"]>;
  readonly durable: boolean;
  readonly generation?: () => number; // Increases when stored values may have been lost; absent if that cannot happen.
  readonly identity?: StorageIdentity; // Detects another storage in its place; absent if there can be none.
  /** Creates the value if the key is absent, atomically and durably; with a predecessor, only while that exists. */
  createItem(key: string, value: string, predecessor?: Predecessor<string>, later?: boolean): Promise<CreateOutcome>;
  /** As `Storage.append`, to the stream of an encoded key; it updates the stream's head with the item. */
  appendItem(stem: string, version: number, value: string, behind: AppendOptions<string>): Promise<AppendItemOutcome>;
  /** Number of an item that is, or is known to have been, in the stream after number `end`; undefined for none. */
  laterItem(stem: string, end: number): number | undefined | Promise<number | undefined>;
  /** As `Storage.confirm`, throwing for another value; absent if every value that can be read is durable. */
  readonly confirmItem?: (key: string, value: string) => Promise<void>;
  readonly getMany?: (keys: readonly string[]) => Promise<(string | null | undefined)[]>; // Where it is faster.
  /** The distinct segments right below `prefix` (an encoded key, or empty for the root); absent to take them from `keys`. */
  readonly children?: (prefix: string) => AsyncIterable<string>;
  /** As `Storage.keys`, but it may yield a key twice, and more keys than `kind` and `items` select. */
  readonly keys: (prefix: string, kind?: string, items?: "last") => AsyncIterable<string>;
  readonly discardItem?: (key: string) => Promise<void>; // As `Storage.discard`; absent where removing is enough.
  examine(now: number, whole?: boolean): Promise<Finding[]>;
  readonly isDamage?: (error: unknown) => boolean; // Whether a value is damaged; any other error is an outage.
  /** As `Storage.tidy`; absent if there is nothing to remove. */
  readonly tidy?: (now: number, signal?: AbortSignal) => Promise<number>;
}

/** The result of appending an item. A `hole`: its number is free, although it or a later item was stored. */
export type AppendItemOutcome = CreateOutcome | "hole";
