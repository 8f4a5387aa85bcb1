import { hintFor, type ValuePath } from "../../contract/validation/validate-value.ts";
import { parseJson } from "../../runtime/json/parse-json.ts";
import { didYouMean } from "../../runtime/text/edit-distance.ts";
import { isRecord, mapItems, itemsOf } from "../../runtime/json/json-values.ts";
import type { Row } from "./smoke-file.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** The values of `${run.NAME}`. */
export interface RunValues {
  readonly id: string; // Differs in each run against a daemon, for ids that must be new.
  /** Of --token, the profile or ANP_TOKEN; on the file's own daemon, of the fixture's first user. Absent without one. */
  readonly token?: string;
  readonly tokens?: Readonly<Record<string, string>>; // On the file's own daemon: of the fixture's users, by user.
}

/** The value of a reference that is not known before the run. */
export const UNKNOWN = Symbol("unknown");

/** The values that references resolve to: those of a run, or the ones known before it. */
export interface Scope {
  readonly env: Env;
  readonly run?: RunValues | typeof UNKNOWN | undefined; // UNKNOWN before the run; absent where none can be named.
  readonly vars?: Row | null | undefined; // As written: values may be references. Null where they cannot be named.
  readonly row?: Row | undefined;
  readonly rowName?: string;
  readonly answer: (reference: Reference, path: readonly string[]) => unknown; // Throws UnresolvedError.
  readonly secrets?: Set<string>; // Collects environment values that reports must mask.
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

/** @throws UnresolvedError */
export function refuse(reference: Reference, reason: string): never {
  throw new UnresolvedError(reference, reason);
}

const HEADS = { env: environmentValue, run: runValue, vars: writtenValue, row: writtenValue } as const;
/** Whether a word begins references that do not name a step. */
export const isReserved = (head: string): head is keyof typeof HEADS => Object.hasOwn(HEADS, head);

/** The casts of `${env.NAME:int}` and the like: all JSON values, or those of one type. */
const CASTS: Readonly<Record<string, readonly [what: string, holds: (value: unknown) => boolean]>> = {
  int: ["an integer", Number.isSafeInteger],
  number: ["a number", (value) => typeof value === "number"],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  json: ["JSON", (value) => value !== undefined],
};

const SECRET = /token|secret|key|password/i; // Names of variables whose values reports do not show.

/** Characters of the shortest value that reports mask: a shorter one would hide parts of other words. */
export const MIN_SECRET = 4;

/** A value with its references resolved. A text that is one reference becomes the value, of any type; within a longer
 * text the value becomes part of it. {@link UNKNOWN} for a value that only the run knows, before it.
 * @throws UnresolvedError for a reference without a value, RangeError for a malformed one */
export function resolveAll(value: unknown, scope: Scope): unknown {
  if (typeof value !== "string") return mapItems(value, (item) => resolveAll(item, scope));
  const parts = partsOf(value);
  const values = parts.map((part) => {
    if (typeof part === "string") return part.replaceAll("$${", () => "${");
    const found = valueOf(part, scope);
    const isPart = parts.length > 1 && typeof found === "object" && found !== null;
    return isPart ? refuse(part, "is not a scalar: it cannot be part of a text.") : found;
  });
  if (values.length === 1) return values[0];
  return values.includes(UNKNOWN) ? UNKNOWN : values.join("");
}

function valueOf(reference: Reference, scope: Scope): unknown {
  const { head, cast = "" } = reference;
  const path = reference.path.map((segment) => resolveAll(segment, scope));
  if (path.includes(UNKNOWN)) return UNKNOWN;
  const words = path.map((word) => {
    if (/^[\w-]+$/.test(String(word))) return String(word);
    return refuse(reference, `cannot be resolved: ${JSON.stringify(word)} is not a name.`);
  });
  const value = isReserved(head) ? HEADS[head](reference, words, scope) : scope.answer(reference, words);
  const [what, holds] = CASTS[cast] ?? [];
  if (value === UNKNOWN || holds === undefined) return value;
  const typed = typeof value === "string" ? parseJson(value) : value;
  return holds(typed) ? typed : refuse(reference, `is not ${what}.`);
}

function environmentValue(reference: Reference, path: readonly string[], scope: Scope): unknown {
  const [name = ""] = path;
  if (path.length !== 1) refuse(reference, "does not name an environment variable: write ${env.NAME}.");
  const value = scope.env[name] || (resolveAll(reference.fallback, scope) as string | undefined); // Empty is unset.
  if (value === undefined) return refuse(reference, `is not set.${didYouMean(name, Object.keys(scope.env))}`);
  if (SECRET.test(name)) scope.secrets?.add(value);
  return value;
}

function runValue(reference: Reference, path: readonly string[], { run }: Scope): unknown {
  const [name, user] = path;
  if (run === undefined) return refuse(reference, "is not known before the daemon runs; only ${env.NAME} is.");
  if (!/^(id|token|tokens\.[^.]+)$/.test(path.join(".")))
    refuse(reference, "is not a value of the run. Known values: ${run.id}, ${run.token}, ${run.tokens.USER}.");
  if (run === UNKNOWN) return UNKNOWN;
  const { id, token, tokens } = run;
  if (name === "id") return id;
  if (user === undefined) return token ?? refuse(reference, "has no value; set --token or ANP_TOKEN.");
  const known = tokens && `the fixture's users are ${Object.keys(tokens).join(", ")}.`;
  const own = "it is for the file's own daemon. With --url write ${run.token}, or ${env.NAME} for each user.";
  return tokens?.[user] ?? refuse(reference, `has no value: ${known ?? own}`);
}

function writtenValue(reference: Reference, [name, ...rest]: readonly string[], scope: Scope): unknown {
  const { vars, row, rowName = "row" } = scope;
  const isRow = reference.head === "row";
  const root = isRow ? row : vars;
  if (root === undefined) return refuse(reference, isRow ? "needs `rows`." : "needs `vars`.");
  if (root === null) return refuse(reference, "cannot be used here.");
  const written = name === undefined ? root : valueAt(root, [name], reference, isRow ? rowName : "vars");
  try {
    // The value itself may be a reference; rows may refer to vars.
    const value = resolveAll(written, { ...scope, row: undefined, vars: isRow ? vars : null });
    return valueAt(value, rest, reference, `${reference.head}.${name}`);
  } catch (error) {
    // Before the run, an error of the value is reported at its own place.
    if (scope.run !== UNKNOWN || !(error instanceof UnresolvedError) || error.reference === reference) throw error;
    return UNKNOWN;
  }
}

/** The value at a path. @throws UnresolvedError that names the first segment that does not exist */
export function valueAt(root: unknown, path: readonly string[], reference: Reference, what: string): unknown {
  let value = root;
  for (const [index, key] of path.entries()) {
    if (value === UNKNOWN) break;
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) {
      const hint = hintFor(key, isRecord(value) ? Object.keys(value) : []).replace(/[^?]$/, "$&.");
      const missing = path.slice(0, index + 1).join(".");
      refuse(reference, `cannot be resolved: ${what} has no ${missing}.${hint && ` ${hint}`}`);
    }
    value = Reflect.get(value, key);
  }
  return value;
}

/** A reference `${step.path}` to a value of an earlier answer, the environment or the run. */
export interface Reference {
  readonly text: string; // As written in the file, with its braces.
  readonly head: string; // The step, or `env`, `run`, `vars` or `row`.
  readonly path: readonly string[]; // The segments as written: one may be, or contain, a reference.
  readonly fallback?: string; // The default of an environment variable that is not set; it may contain references.
  readonly cast?: string; // What the value is read as: `int` of `${env.LIMIT:int}`.
}
const INNER = /^([a-z][\w-]*)((?:\.[\w-]+|\[\d+\])*)(?::(int|number|boolean|json))?(?::-([^{]*))?$/is;

/** The references of a text, and the parts between them as written; `$${` is an escape for the characters `${`.
 * @throws RangeError for a malformed reference */
const partsOf = (text: string) => split(text).map((part) => (isReference(part) ? parse(part) : part));

/** The references in all texts of a value, those within others first. @throws RangeError for a malformed one */
export function referencesIn(value: unknown): Reference[] {
  const parts = textsIn(value).flatMap(([text]) => partsOf(text));
  const found = parts.filter((part) => typeof part !== "string");
  return found.flatMap((one) => [...referencesIn([...one.path, one.fallback]), one]);
}

const isReference = (part: string): boolean => part.startsWith("${");

function split(text: string): string[] {
  const parts: string[] = [];
  let [from, depth] = [0, 0];
  for (const { 0: mark, index } of text.matchAll(/\$\$\{|\$\{|\}/g)) {
    const isStart = mark === "${" && depth++ === 0;
    const isEnd = mark === "}" && depth > 0 && --depth === 0;
    if (!isStart && !isEnd) continue;
    const to = isEnd ? index + 1 : index;
    parts.push(text.slice(from, to));
    from = to;
  }
  if (depth > 0)
    throw new RangeError(`${text.slice(from)} is not closed: write \${NAME}, or $\${ for the characters \${.`);
  return [...parts, text.slice(from)].filter((part) => part !== "");
}

function parse(text: string): Reference {
  const body = text.slice(2, -1).trim();
  const plain = split(body).map((part) => (isReference(part) ? "0".repeat(part.length) : part));
  const [, head = "", path = "", cast, fallback] = INNER.exec(plain.join("")) ?? [];
  if (head === "" || !body.startsWith(head) || (fallback !== undefined && head !== "env")) {
    const forms = "${step.path}, ${env.NAME}, ${env.NAME:-default} or ${env.NAME:int} (number, boolean, json)";
    throw new RangeError(`${text} cannot be read: write ${forms}.`);
  }
  const segments = Array.from(path.matchAll(/[\w-]+/g), ({ 0: segment, index }) =>
    body.slice(head.length + index, head.length + index + segment.length),
  );
  const rest = fallback !== undefined && { fallback: body.slice(body.length - fallback.length) };
  return { text, head, path: segments, ...rest, ...(cast && { cast }) };
}

/** All texts, numbers and other scalars in a value, with the path of each. */
export function scalarsIn(value: unknown, path: ValuePath = []): [unknown, ValuePath][] {
  if (typeof value !== "object" || value === null) return [[value, path]];
  return itemsOf(value).flatMap(([key, item]) => scalarsIn(item, [...path, key]));
}

/** All texts in a value, with the path of each. */
export const textsIn = (value: unknown, path?: ValuePath): [string, ValuePath][] =>
  scalarsIn(value, path).filter((found): found is [string, ValuePath] => typeof found[0] === "string");
