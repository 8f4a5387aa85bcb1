import type { Finding } from "./health/finding.ts";

/** Text documents under keys of segments, with one primitive that decides races, `create`.
 * Every driver behaves alike: a reader sees a whole value or none, a value once acknowledged survives a crash (as far
 * as the driver is durable), and of any number of racing `create` calls on one key exactly one gets `true`. */
export interface Storage {
  readonly url: string; // The URL it was opened with, without secrets.
  readonly durable: boolean; // Whether an acknowledged write survives the end of the process.
  /** Rises when values that existed may be lost, as after a failover: what was remembered of them has to be read again. */
  generation(): number;
  /** How another storage in its place is noticed; undefined where none can be. */
  readonly identity: StorageIdentity | undefined;
  /** Before an absent value is taken for one that never was: its place is still this storage. @throws StorageReplacedError */
  verify(key: Key): Promise<void>;
  /** The value, or undefined when absent. */
  get(key: Key): Promise<string | undefined>;
  /** Whether there is a value: cheaper than reading one, above all where there is none. */
  has(key: Key): Promise<boolean>;
  /** The values of several keys in the order asked for. */
  getMany(keys: readonly Key[]): Promise<(string | undefined)[]>;
  /** Creates the value if the key is absent, atomically and durably. False when the key has a value already. */
  create(key: Key, value: string, how?: Pick<Behind, "later">): Promise<boolean>;
  /** Creates the value likewise, but only while its predecessor exists. */
  createAfter(key: Key, value: string, predecessor: Predecessor): Promise<CreateOutcome>;
  /** Appends the item of that number, from 1, to a stream (its key, encoded): creates it while the item before it
   * exists and none after it is known.
   * @throws CorruptionError when that number is free although it or a later item was stored */
  append(stream: EncodedSegment, version: number, value: string, behind?: Behind): Promise<CreateOutcome>;
  /** Number of an item that is, or is known to have been, in a stream after number `end`; undefined for none. What is
   * known besides what is there: on Redis and in memory, a head that each append keeps; on files, what `createFileStreams`
   * says. */
  laterItem(stream: EncodedSegment, end: number): Promise<number | undefined>;
  /** Makes a value that was read as safe as one whose creation was acknowledged. A value may be seen before it is: its
   * writer may have died, or have got an error.
   * @throws StorageError when that cannot be ensured, or the key has another value by now */
  confirm(key: Key, value: string): Promise<void>;
  /** Writes the value as a whole, durably, over an earlier one if there is one. */
  put(key: Key, value: string): Promise<void>;
  /** Removes the value; nothing happens when it is absent. */
  remove(key: Key): Promise<void>;
  /** Removes the last item of a stream on purpose: it is not missing afterwards. */
  discard(key: Key): Promise<void>;
  /** The distinct segments right below a prefix. It may scan everything: never on a request's path. */
  children(prefix: Key): AsyncIterable<EncodedSegment>;
  /** All keys below a prefix, in no order; one may come twice. It may scan everything: never on a request's path.
   * @param kind only those with this segment after the next one, as `profile` of all users
   * @param items "last" where of those items of a stream that are kept together, one after the other, the last is enough */
  keys(prefix: Key, kind?: string, items?: "last"): AsyncIterable<EncodedSegment[]>;
  /** What an operator should know: durability, space, limits, roles. @param now to compare clocks, ms since 1970 */
  examine(now: number): Promise<Finding[]>;
  /** Removes what killed writers left: how many things. On files, seals the full folders of ledgers besides. It may walk
   * everything, in the background. @param now ms since 1970 */
  tidy(now: number, signal?: AbortSignal): Promise<number>;
  /** Waits for nothing, frees the connection. */
  close(): Promise<void>;
}

/** The parts of a storage that can be lost by themselves, as the primaries of a cluster, and those that are. */
export type LostParts = { readonly lost: readonly StorageReplacedError[]; readonly parts: number };

/** How another storage, or an emptied one, is noticed: once an id is expected, calls on parts without it are refused. */
export interface StorageIdentity {
  readonly expected: { expect(id: string, isFixed: boolean): void };
  readonly marks: readonly string[]; // Encoded keys that bear the id: one, and one for each part that can be lost.
  /** Looks at the part that holds the encoded key. @throws StorageReplacedError */
  verify(key: string): Promise<void>;
  /** Looks at every part. @throws StorageError when none answers */
  findLost(): Promise<LostParts>;
}

/** A key is a path of segments. A segment is any text but NUL; {@link encodeSegment} makes it safe, so ids made by
 * users may be segments. The first two segments place a key: all keys that share them are kept together (one slot of a
 * cluster), as `["users", id, …]` for all that belongs to one user. */
export type Key = readonly (string | EncodedSegment)[];

/** What must exist for a value to be created: a key that shares its first two segments with the new one. */
export interface Predecessor<K = Key> {
  readonly key: K;
  /** Its value, compared where acknowledged writes may be lost, by a server or in a copy; its presence is enough in memory. */
  readonly value?: string;
}

/** What an item is appended behind. */
export interface Behind<K = Key> {
  /** The text of the item before, compared where the storage's server may lose acknowledged writes. */
  readonly previous?: string | undefined;
  /** A value that is durable before the item can be seen: it is created, unless the key has that very value already. */
  readonly first?: NewValue<K> | undefined;
  /** Nobody waits: it may be held for some milliseconds, where other values then share its sync. */
  readonly later?: boolean | undefined;
}
export type NewValue<K = Key> = { readonly key: K; readonly value: string };

/** The result of creating a value behind a predecessor; all but `created` change nothing. */
export type CreateOutcome =
  | "created"
  | "conflict" // The key has a value already, whatever became of the predecessor.
  | "gap" // The key is free, but the predecessor does not exist: it never did, or a failover lost it.
  | "failover" // The predecessor has another value: a failover lost the expected one, and another writer went on.
  | "taken"; // The key of what is created first has another value.

/** A segment in its encoded form, as {@link Storage.children} returns it; in a key it is not encoded again. */
export class EncodedSegment {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The storage cannot be reached or refuses a read or a write (disk full, no permission, connection lost). */
export class StorageError extends Error {
  override readonly name: string = "StorageError";
}

/** Another storage, or an emptied one, is in the place of the one that was expected: nothing is read or written there. */
export class StorageReplacedError extends StorageError {}

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
