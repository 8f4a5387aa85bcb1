/** A value that a command takes, as an argument or a flag. `T` includes undefined where it may be left out. */
export interface Param<T> {
  /** What stands for the value in usage, as `USER`; absent for a switch. */
  readonly value?: string;
  readonly about: string;
  /** Reads a typed text; throws a RangeError whose message goes on after the name. */
  readonly read: (typed: string) => T;
  /** The value when left out; where there is none, the command cannot run without it. */
  readonly missing?: () => T;
}

/** The params of a command, by name in camel case. */
export type Params = Readonly<Record<string, Param<unknown>>>;

/** The values of params. */
export type Values<P extends Params> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never };

/** A value that must be given; on a terminal it is asked for. */
export function required<T>(value: string, about: string, read: (typed: string) => T): Param<T> {
  return { value, about, read };
}

/** A value that may be left out. */
export function optional<T>(value: string, about: string, read: (typed: string) => T): Param<T | undefined> {
  return { value, about, read, missing: () => undefined };
}

/** A flag without a value. */
export function toggle(about: string): Param<boolean> {
  return { about, read: () => true, missing: () => false };
}
