/**
 * The face of the storage: text documents under keys of segments, with one primitive that decides races, `create`.
 * Every driver behaves alike: a reader sees a whole value or none, a value once acknowledged survives a crash (as far
 * as the driver is durable), and of any number of racing `create` calls on one key exactly one gets `true`.
 */
export interface Storage {
  /** The URL it was opened with, without secrets. */
  readonly url: string;
  /** Whether an acknowledged write survives the end of the process. */
  readonly durable: boolean;
  /** The value, or undefined when absent. */
  get(key: Key): Promise<string | undefined>;
  /** Whether there is a value: cheaper than reading one, above all where there is none. */
  has(key: Key): Promise<boolean>;
  /** The values of several keys in the order asked for. */
  getMany(keys: readonly Key[]): Promise<(string | undefined)[]>;
  /** Creates the value if the key is absent, atomically and durably; false when something is there already. */
  create(key: Key, value: string): Promise<boolean>;
  /** Writes the value as a whole, durably, over whatever is there. */
  put(key: Key, value: string): Promise<void>;
  /** Removes the value; nothing happens when it is absent. */
  remove(key: Key): Promise<void>;
  /** The distinct segments right below a prefix. It may scan everything: never on a request's path. */
  children(prefix: Key): AsyncIterable<EncodedSegment>;
  /** Waits for nothing, frees the connection. */
  close(): Promise<void>;
}

/**
 * A key is a path of segments. A segment is any text but NUL; {@link encodeSegment} makes it safe, so ids made by users
 * may be segments as they are. The first two segments place a key: all keys that share them are kept together (one
 * slot of a cluster), as `["users", id, …]` for all that belongs to one user.
 */
export type Key = readonly (string | EncodedSegment)[];

/** A segment as the storage spells it, as {@link Storage.children} gives it; used in a key, it stays as it is. */
export class EncodedSegment {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
