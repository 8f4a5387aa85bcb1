import { anything, userId, type Reader } from "./value-readers.ts";

/** A value that a command takes, as an argument or a flag. `T` includes undefined where it may be left out. */
export interface Param<T> {
  /** The placeholder of the value in usage, as `USER`; absent for a flag without a value. */
  readonly value?: string;
  readonly about: string;
  /** Reads a typed text; throws a RangeError whose message continues after the name. */
  readonly read: Reader<T>;
  /** The allowed values, where they are defined elsewhere; others are refused. */
  readonly choices?: () => Promise<readonly string[]>;
  /** Reads all values of a param that may be repeated; without it, the last one counts. */
  readonly readAll?: (typed: readonly string[]) => T;
  /** The value when left out; where there is none, the command cannot run without it. */
  readonly missing?: () => T;
  /** What the value names, for completion and for prompts. */
  readonly holds?: Held | undefined;
}

/** Kinds of things that a value may name. */
export type Held = "user" | "file" | "folder" | "profile" | "plan";

/** The params of a command, by name in camel case. */
export type Params = Readonly<Record<string, Param<unknown>>>;

/** What a command takes. */
export interface CommandParams {
  readonly arguments: Params;
  readonly options: Params;
}

/** The values of params. */
export type Values<P extends Params> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never };

/** A required value; on a terminal, a prompt asks for it if it is missing. */
export function required<T>(value: string, about: string, read: Reader<T>, holds?: Held): Param<T> {
  return { value, about, read, holds };
}

/** A user of the storage that a command is about. */
export function knownUser(value: string, about: string): Param<string> {
  return { value, about, read: userId, holds: "user" };
}

/** The user that a command is about. On a daemon it may be left out: it is the token's user. */
export function userParam(value: string, about: string): Param<string | undefined> {
  return { value, about: `${about}; with --url, the token's user`, read: userId, holds: "user" };
}

/** A value that may be left out. */
export function optional<T>(value: string, about: string, read: Reader<T>, holds?: Held): Param<T | undefined> {
  return { value, about, read, holds, missing: () => undefined };
}

/** An optional value: one of those that the contract or the user's files define. */
export function among(
  value: string,
  about: string,
  choices: () => Promise<readonly string[]>,
): Param<string | undefined> {
  return { value, about, read: anything, choices, missing: () => undefined };
}

/** One value or more: all remaining arguments. */
export function several<T>(value: string, about: string, read: Reader<T>): Param<readonly T[]> {
  const readOne = (typed: string): readonly T[] => [read(typed)];
  const reader = Object.assign(readOne, { words: read.words });
  return { value, about, read: reader, readAll: (typed) => typed.map((one) => read(one)) };
}

/** A flag that may be repeated. */
export function repeatable<T>(value: string, about: string, read: Reader<T>): Param<readonly T[]> {
  return { ...several(value, about, read), missing: () => [] };
}

/** A flag without a value. */
export function toggle(about: string): Param<boolean> {
  return { about, read: () => true, missing: () => false };
}

/** The flag of an option's name in camel case, as `--page-size`. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
