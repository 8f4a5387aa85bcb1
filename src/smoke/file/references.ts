import type { ValuePath } from "../../contract/validate.ts";
import { didYouMean } from "../../runtime/did-you-mean.ts";
import { isRecord, itemsOf, mapItems } from "./json-values.ts";

/** A reference `${step.path}` to a value of an earlier answer, the environment or the run. */
export interface Reference {
  /** As written in the file, with its braces. */
  readonly text: string;
  /** The step, or `env`, or `run`. */
  readonly head: string;
  readonly path: readonly string[];
  /** The default of an environment variable that is not set. */
  readonly fallback?: string;
  /** What the value is read as: `int` of `${env.LIMIT:int}`. */
  readonly cast?: string;
}

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The values of `${run.NAME}`. */
export interface RunValues {
  /** Differs in each run against a daemon, for ids that must be new. */
  readonly id: string;
  /** Of --token, the profile or ANP_TOKEN; on the file's own daemon, of the fixture's first user. Absent without one. */
  readonly token?: string;
  /** On the file's own daemon: the tokens of the fixture's users, by user. */
  readonly tokens?: Readonly<Record<string, string>>;
}

/** A reference without a value. The message names it. */
export class UnresolvedError extends Error {
  override readonly name = "UnresolvedError";
  readonly reference: Reference;

  constructor(reference: Reference, reason: string) {
    super(`${reference.text} ${reason}`);
    this.reference = reference;
  }
}

const REFERENCE = /\$?\$\{([^{}]*)\}/g;
const INNER = /^([a-z][\w-]*)((?:\.[\w-]+|\[\d+\])*)(?::(int|number|boolean|json))?(?::-(.*))?$/is;

/** What `${env.NAME:int}` and the like read a text as: any of JSON, or what of it. */
const CASTS: Readonly<Record<string, readonly [what: string, holds: (value: unknown) => boolean]>> = {
  int: ["an integer", Number.isSafeInteger],
  number: ["a number", (value) => typeof value === "number"],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  json: ["JSON", () => true],
};

/**
 * The references in a text; `$${` is an escape for the characters `${`.
 *
 * @throws RangeError for a malformed one
 */
export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(REFERENCE)]
    .filter(([all]) => !all.startsWith("$$"))
    .map(([all, inner]) => parse(all, inner!));
}

function parse(text: string, inner: string): Reference {
  const [, head, path = "", cast, fallback] = INNER.exec(inner.trim()) ?? [];
  if (head === undefined || (fallback !== undefined && head !== "env")) {
    const forms = "${step.path}, ${env.NAME}, ${env.NAME:-default} or ${env.NAME:int} (number, boolean, json)";
    throw new RangeError(`${text} cannot be read: write ${forms}.`);
  }
  const segments = path
    .replaceAll(/\[(\d+)\]/g, ".$1")
    .split(".")
    .slice(1);
  return { text, head, path: segments, ...(fallback !== undefined && { fallback }), ...(cast && { cast }) };
}

/**
 * A value as its reference reads it.
 *
 * @throws UnresolvedError for a text that is not of the type
 */
export function castValue(reference: Reference, value: unknown): unknown {
  const cast = CASTS[reference.cast ?? ""];
  if (cast === undefined) return value;
  const [what, holds] = cast;
  try {
    const typed: unknown = typeof value === "string" ? JSON.parse(value) : value;
    if (holds(typed)) return typed;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new UnresolvedError(reference, `is not ${what}.`);
}

/** The value of an environment variable or its default; undefined where it has neither. An empty variable is not set. */
export function envValue({ path, fallback }: Reference, env: Env): string | undefined {
  return (env[path[0]!] ?? "") === "" ? fallback : env[path[0]!];
}

/** All texts, numbers and other scalars in a value, with the path of each. */
export function scalarsIn(value: unknown, path: ValuePath = []): [unknown, ValuePath][] {
  if (typeof value !== "object" || value === null) return [[value, path]];
  return itemsOf(value).flatMap(([key, item]) => scalarsIn(item, [...path, key]));
}

/** All texts in a value, with the path of each. */
export function textsIn(value: unknown, path?: ValuePath): [string, ValuePath][] {
  return scalarsIn(value, path).filter((found): found is [string, ValuePath] => typeof found[0] === "string");
}

/** The references in all texts of a value. */
export function allReferencesIn(value: unknown): Reference[] {
  return textsIn(value).flatMap(([text]) => referencesIn(text));
}

/**
 * A value with its references resolved. A text that is one reference becomes the value, of any
 * type; within a longer text the value becomes part of it.
 *
 * @throws UnresolvedError
 */
export function resolveAll(value: unknown, lookUp: (reference: Reference) => unknown): unknown {
  if (typeof value === "string") return resolveText(value, lookUp);
  return mapItems(value, (item) => resolveAll(item, lookUp));
}

function resolveText(text: string, lookUp: (reference: Reference) => unknown): unknown {
  const [only] = referencesIn(text);
  if (only?.text === text) return lookUp(only);
  return text.replace(REFERENCE, (all, inner: string) => {
    if (all.startsWith("$$")) return all.slice(1);
    const reference = parse(all, inner);
    const value = lookUp(reference);
    if (typeof value === "object" && value !== null) {
      throw new UnresolvedError(reference, "is not a scalar: it cannot be part of a text.");
    }
    return String(value);
  });
}

/**
 * The value at a reference's path.
 *
 * @throws UnresolvedError that names the first segment that does not exist
 */
export function valueAt(root: unknown, reference: Reference, what: string): unknown {
  let value = root;
  for (const [index, key] of reference.path.entries()) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) {
      const keys = isRecord(value) ? Object.keys(value) : [];
      const missing = reference.path.slice(0, index + 1).join(".");
      throw new UnresolvedError(reference, `cannot be resolved: ${what} has no ${missing}.${didYouMean(key, keys)}`);
    }
    value = Reflect.get(value, key);
  }
  return value;
}
