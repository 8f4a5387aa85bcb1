import { DAY_MS } from "../../runtime/clock.ts";
import { UsageError } from "../framework/command-failure.ts";
import { notOneOfMessage, invalidValue } from "../../runtime/text/describe-value.ts";
import { lengthOf, readInstant } from "../framework/time-format.ts";

/** How a value of a command is read. `T` includes undefined if it may be left out. */
export interface ParamType<T> {
  readonly read: Reader<T>; // Reads a typed text; throws a RangeError whose message continues after the name.
  readonly choices?: () => Promise<readonly string[]>; // The allowed values, where they are defined elsewhere.
  readonly readAll?: (typed: readonly string[]) => T; // For a repeatable value; otherwise the last one counts.
  readonly missing?: () => T; // The default; without it, the value is required.
  readonly operatorsNeed?: string; // Why it is required with an operator's token only.
  readonly holds?: ValueKind | undefined; // What the value names, for completion and for prompts.
  readonly isLocal?: true; // Taken on the storage alone, not by a daemon.
}

/** A value that a command takes, as an argument or a flag, with its texts of `commands.json`. */
export interface Param<T> extends ParamType<T> {
  readonly value?: string | undefined; // Its placeholder in usage, as `USER`; absent for a flag without a value.
  readonly about: string;
}

/** Kinds of things that a value may name. */
export type ValueKind = "user" | "file" | "folder" | "profile" | "plan" | "source";
/** The params of a command, by name in camel case. */
export type Params = Readonly<Record<string, Param<unknown>>>;
/** The same without their texts. */
export type ParamTypes = Readonly<Record<string, ParamType<unknown>>>;
export type CommandParams = { readonly arguments: Params; readonly options: Params };
export type Values<P extends ParamTypes> = { readonly [K in keyof P]: P[K] extends ParamType<infer T> ? T : never };
/** A required value; on a terminal, a prompt asks for it if it is missing. */
export const required = <T>(read: Reader<T>, holds?: ValueKind): ParamType<T> => ({ read, holds });
/** A user of the storage that a command is about. */
export const knownUser = (): ParamType<string> => required(userId, "user");
/** The user that a command is about. On a daemon it may be left out: it is the token's user. */
export const userParam = (): ParamType<string | undefined> => required(userId, "user");
/** A value that may be left out. */
export const optional = <T>(read: Reader<T>, holds?: ValueKind) => ({ read, holds, missing: () => undefined });

/** A flag that may be repeated, or all remaining arguments. */
export function repeatable<T>(read: Reader<T>): ParamType<readonly T[]> {
  const readOne = Object.assign((typed: string) => [read(typed)], { words: read.words });
  return { read: readOne, readAll: (typed) => typed.map((one) => read(one)), missing: () => [] };
}

/** A flag without a value. */
export const toggle = (): ParamType<boolean> => ({ read: () => true, missing: () => false });
/** The flag of an option's name in camel case, as `--page-size`. */
export const flagOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Readers of values that people type. Each gives the value or throws a RangeError whose message continues after the
 * name of the argument or flag: "--page must be an integer …". */

/** Reads a typed text, or throws such a RangeError. `words` are the allowed values of a reader that has a fixed set.
 * `free` text may be personal: logs do not keep it, except a short word if one is expected. */
export type Reader<T> = ((typed: string) => T) & {
  readonly words?: readonly string[] | undefined;
  readonly free?: true | "unless a word";
};

export const free = <T>(read: (typed: string) => T): Reader<T> => Object.assign(read, { free: true as const });

/** Text of 1 to `max` characters after trimming. */
export const text = (max: number): Reader<string> => free(name(max));
/** The same for names and ids, which logs may keep. */
export const name =
  (max: number): Reader<string> =>
  (typed) =>
    checkText(typed.trim(), max);

function checkText(value: string, max: number): string {
  if (value.trim() === "") throw new RangeError("must not be empty");
  if (Array.from(value).length > max) throw new RangeError(`must have at most ${max} characters`);
  if (/[\u0000-\u001f\u007f]/.test(value)) throw new RangeError("must not contain control characters");
  if (!value.isWellFormed()) throw new RangeError("must be well-formed Unicode");
  return value;
}

/** Any text: the contract checks it. */
export const anyText: Reader<string> = free((typed) => typed);
/** The same for a value that is usually one word, as a language: logs keep short ones. */
export const word: Reader<string> = Object.assign((typed: string) => typed, { free: "unless a word" as const });
/** The id of a user: not trimmed, as ` a` and `a` may be two of them. */
export const userId: Reader<string> = (typed) => checkText(typed, 128);

const matching = (pattern: RegExp, message: string) => (typed: string) => {
  if (!pattern.test(typed)) throw new RangeError(message);
  return typed;
};

const NAME = /^[A-Za-z0-9_][\w.-]{0,63}$/;
export const profileName = matching(NAME, "must be 1 to 64 letters, digits, dots, dashes and underscores");

const KEY = /^[\x21-\x7e]{1,128}$/;
/** The key that makes a retry safe, as in the Idempotency-Key header. */
export const idempotencyKey = matching(KEY, "must be 1 to 128 printable ASCII characters without spaces");

const MAX = Number.MAX_SAFE_INTEGER;

/** An integer in decimal digits. */
export function integer(min: number = -MAX, max: number = MAX) {
  return (typed: string): number => {
    const isInteger = /^[+-]?\d+$/.test(typed.trim());
    const value = isInteger ? Number(typed) : NaN;
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value === 0 ? 0 : value;
    const bounds = min === -MAX && max === MAX && !isInteger ? "" : ` from ${min} to ${max}`;
    throw invalidValue(`must be an integer${bounds}`, typed);
  };
}

/** A change in points: an integer that is not 0. */
export function delta(typed: string): number {
  const value = integer()(typed);
  if (value === 0) throw new RangeError("must not be 0");
  return value;
}

const EXACT_DIGITS = 15; // Decimal digits that any JSON number (a double) keeps without loss.

/** A decimal amount greater than 0. */
export function amount(typed: string): number {
  const match = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.exec(typed.trim());
  const value = match === null ? NaN : Number(typed);
  if (!Number.isFinite(value)) throw invalidValue("must be a decimal number", typed);
  if (value <= 0) throw invalidValue("must be a number greater than 0", typed);
  const digits = match![1]!.replace(".", "").replace(/^0+|(?<!0)0+$/g, "");
  if (digits.length > EXACT_DIGITS) throw new RangeError(`must have at most ${EXACT_DIGITS} significant digits`);
  return value;
}

export function oneOf<const T extends string>(...words: readonly T[]): Reader<T> {
  const read = (typed: string): T => {
    const found = words.find((word) => word === typed);
    if (found === undefined) throw new RangeError(notOneOfMessage(words, typed));
    return found;
  };
  return Object.assign(read, { words });
}

/** An ISO 8601 instant with an offset, in milliseconds since the epoch, before the last year that has four digits. */
export function instant(typed: string, or = " as 2026-11-20T00:00:00Z"): number {
  const { ms = NaN, offset } = readInstant(typed) ?? {};
  if (offset !== undefined && ms >= 0 && ms < Date.UTC(9999)) return ms;
  throw invalidValue(`must be an ISO 8601 instant of 1970 to 9998 with an offset,${or}`, typed);
}

/** An ISO 8601 instant, a length of time as `30d`, or `never`: what gives the last instant, undefined for never, for the
 * present one, both ms since the epoch. It throws a UsageError for an instant that is not in the future. */
export function expiry(typed: string): (now: number) => number | undefined {
  if (typed === "never") return () => undefined;
  const ms = lengthOf(typed);
  if (ms > 0 && ms < 100_000 * DAY_MS) return (now) => now + ms;
  const at = instant(typed, " hours as 12h, days as 30d, or never");
  return (now) => {
    if (at <= now) throw new UsageError("--expires must be in the future.");
    return at;
  };
}

/** The message of such a RangeError as the end of a sentence. A hint at its end is a question. */
export const asSentence = (message: string): string => (message.endsWith("?") ? message : `${message}.`);
