import type { Finding } from "./health/finding.ts";

/** Text documents under keys of segments, with one primitive that decides races, `create`.
 * Every driver behaves alike: a reader sees a whole value or none, a value once acknowledged survives a crash (as far
 * as the driver is durable), and of any number of racing `create` calls on one key exactly one gets `true`. */
export interface Storage {
  readonly url: string; // The URL it was opened with, without secrets.
  readonly durable: boolean; // Whether an acknowledged write survives the end of the process.
  /** Increases when stored values may have been lost, as after a failover: cached values must be read again. */
  generation(): number;
  /** Detects another storage in its place; undefined if there can be none. */
  readonly identity: StorageIdentity | undefined;
  /** Before an absent value counts as unwritten: the storage was not replaced. @throws StorageReplacedError */
  verify(key: Key): Promise<void>;
  /** The value, or undefined when absent. */
  get(key: Key): Promise<string | undefined>;
  /** Whether the key has a value: cheaper than reading it, above all if it has none. */
  has(key: Key): Promise<boolean>;
  /** The values of several keys in the order asked for. */
  getMany(keys: readonly Key[]): Promise<(string | undefined)[]>;
  /** Creates the value if the key is absent, atomically and durably. False when the key has a value already.
   * @param how.later on files, a power failure may undo it: for a value that its reader can do without */
  create(key: Key, value: string, how?: Pick<AppendOptions, "later">): Promise<boolean>;
  /** As `create`, but only while the predecessor exists. */
  createAfter(key: Key, value: string, predecessor: Predecessor): Promise<CreateOutcome>;
  /** Appends item number `version`, from 1, to a stream (its encoded key): creates it only while the item before it
   * exists and no later one is known.
   * @throws CorruptionError when that number is free although it or a later item was stored */
  append(stream: EncodedSegment, version: number, value: string, behind?: AppendOptions): Promise<CreateOutcome>;
  /** Number of an item after number `end` that exists, or is known to have existed; undefined for none. Lost items are
   * known by a head that each append updates (Redis, memory); for files see `createFileStreams`. */
  laterItem(stream: EncodedSegment, end: number): Promise<number | undefined>;
  /** Makes a value durable that was read, which may be visible before: its writer may have died, or got an error.
   * @throws StorageError when that cannot be ensured, or the key has another value by now */
  confirm(key: Key, value: string): Promise<void>;
  /** Writes the value as a whole, durably, over an earlier one if there is one. */
  put(key: Key, value: string): Promise<void>;
  /** Removes the value; nothing happens when it is absent. */
  remove(key: Key): Promise<void>;
  /** Removes the last item of a stream on purpose: it does not count as missing afterwards. */
  discard(key: Key): Promise<void>;
  /** The distinct segments right below a prefix. It may scan everything: never on a request's path. */
  children(prefix: Key): AsyncIterable<EncodedSegment>;
  /** All keys below a prefix, in no order; one may come twice. It may scan everything: never on a request's path.
   * @param kind only keys whose second segment after the prefix is this one, as `profile` of all users
   * @param items "last" if of consecutive items that are stored together the last is enough */
  keys(prefix: Key, kind?: string, items?: "last"): AsyncIterable<EncodedSegment[]>;
  /** What an operator should know: durability, space, limits, roles. @param now to compare clocks, ms since 1970
   * @param whole whether to look at every file, for up to some seconds */
  examine(now: number, whole?: boolean): Promise<Finding[]>;
  /** Removes what killed writers left, and returns how many files. It also seals full folders of ledgers. It may scan
   * everything, in the background. @param now ms since 1970 */
  tidy(now: number, signal?: AbortSignal): Promise<number>;
  close(): Promise<void>; // Closes the connection without waiting for running calls.
}

/** How many parts of a storage can be lost independently (as primaries of a cluster), and the errors of lost ones. */
export type LostParts = { readonly lost: readonly StorageReplacedError[]; readonly parts: number };

/** Detects a replaced or emptied storage: once an id is expected, calls on parts without it are refused. */
export interface StorageIdentity {
  readonly expected: { expect(id: string, isFixed: boolean): void };
  readonly marks: readonly string[]; // Encoded keys that hold the id: some on each part that can be lost.
  verify(key: string): Promise<void>; // Checks the part that holds the encoded key. @throws StorageReplacedError
  findLost(): Promise<LostParts>; // Checks every part. @throws StorageError when none answers
}

/** A key is a path of segments. A segment is any text but NUL; {@link encodeSegment} makes it safe, so ids made by
 * users may be segments. The first two segments place a key: all keys that share them are kept together (one slot of a
 * cluster), as `["users", id, …]` for all that belongs to one user. */
export type Key = readonly (string | EncodedSegment)[];

/** What must exist for a value to be created: a key that shares its first two segments with the new one. */
export interface Predecessor<K = Key> {
  readonly key: K;
  /** Its value, compared where acknowledged writes may be lost (a server, a copied folder); not in memory. */
  readonly value?: string;
}

/** Conditions and options of an append. */
export interface AppendOptions<K = Key> {
  /** The text of the item before, compared where the storage's server may lose acknowledged writes. */
  readonly previous?: string | undefined;
  /** A value made durable before the item becomes visible: created, unless the key has that value already. */
  readonly first?: NewValue<K> | undefined;
  /** Nobody waits for it: it may be held for some milliseconds, so that other values share its sync. */
  readonly later?: boolean | undefined;
}
export type NewValue<K = Key> = { readonly key: K; readonly value: string };

/** The result of creating a value behind a predecessor; all but `created` change nothing. */
export type CreateOutcome =
  | "created"
  | "conflict" // The key has a value already, whatever the predecessor.
  | "gap" // The key is free, but the predecessor does not exist: it never did, or a failover lost it.
  | "failover" // The predecessor has another value: a failover lost the expected one, and another writer went on.
  | "taken"; // The key of `first` has another value.

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

/** The expected storage was replaced or emptied: nothing is read or written there. */
export class StorageReplacedError extends StorageError {}

/** A stored value is not what was written: the error names the key, and no value is returned. */
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

/** The result of a read, or `instead` if the value is damaged. */
export const catchDamage = catchIf((error) => error instanceof CorruptionError);
/** The result of a call, or `instead` if the storage does not answer. */
export const catchOutage = catchIf(isOutage);
/** The result of a call, or `instead` whatever the storage's error. */
export const catchError = catchIf((error) => error instanceof StorageError);
/** The result of a call, or its error. */
export const resultOrError = <T>(call: Promise<T>): Promise<T | StorageError> => catchError(call, (error) => error);

function catchIf<E>(isExpected: (error: unknown) => error is E) {
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
