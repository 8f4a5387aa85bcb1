import { hintFor, type ValuePath } from "../../contract/validate.ts";
import { parseJson } from "../../runtime/json/parse-json.ts";
import { isRecord, itemsOf, mapItems } from "./json-values.ts";

/** A reference `${step.path}` to a value of an earlier answer, the environment or the run. */
export interface Reference {
  /** As written in the file, with its braces. */
  readonly text: string;
  /** The step, or `env`, `run`, `vars` or `row`. */
  readonly head: string;
  /** The segments as written: one may be, or contain, a reference. */
  readonly path: readonly string[];
  /** The default of an environment variable that is not set; it may contain references. */
  readonly fallback?: string;
  /** What the value is read as: `int` of `${env.LIMIT:int}`. */
  readonly cast?: string;
}

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A reference without a value. The message names it. */
export class UnresolvedError extends Error {
  override readonly name = "UnresolvedError";
  readonly reference: Reference;

  constructor(reference: Reference, reason: string) {
    super(`${reference.text} ${reason}`);
    this.reference = reference;
  }
}

/** The value of a reference that is not known before the run. */
export const UNKNOWN = Symbol("unknown");

/** @throws UnresolvedError */
export function refuse(reference: Reference, reason: string): never {
  throw new UnresolvedError(reference, reason);
}

const MARK = /\$\$\{|\$\{|\}/g;
const INNER = /^([a-z][\w-]*)((?:\.[\w-]+|\[\d+\])*)(?::(int|number|boolean|json))?(?::-([^{]*))?$/is;

/** What `${env.NAME:int}` and the like read a text as: any of JSON, or what of it. */
const CASTS: Readonly<Record<string, readonly [what: string, holds: (value: unknown) => boolean]>> = {
  int: ["an integer", Number.isSafeInteger],
  number: ["a number", (value) => typeof value === "number"],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  json: ["JSON", (value) => value !== undefined],
};

function partsOf(text: string) {
  const parts: { readonly text: string; readonly isReference: boolean }[] = [];
  let [from, depth] = [0, 0];
  for (const { 0: mark, index } of text.matchAll(MARK)) {
    const isStart = mark === "${" && depth++ === 0;
    const isEnd = mark === "}" && depth > 0 && --depth === 0;
    if (!isStart && !isEnd) continue;
    const to = isEnd ? index + 1 : index;
    parts.push({ text: text.slice(from, to), isReference: isEnd });
    from = to;
  }
  if (depth > 0) {
    throw new RangeError(`${text.slice(from)} is not closed: write \${NAME}, or $\${ for the characters \${.`);
  }
  return [...parts, { text: text.slice(from), isReference: false }].filter((part) => part.text !== "");
}

/** The references in all texts of a value, those within others first; `$${` is an escape for the characters `${`.
 * @throws RangeError for a malformed one */
export function referencesIn(value: unknown): Reference[] {
  const parts = textsIn(value).flatMap(([text]) => partsOf(text));
  return parts.flatMap(({ text, isReference }) => {
    if (!isReference) return [];
    const reference = parse(text);
    return [...referencesIn([...reference.path, reference.fallback]), reference];
  });
}

function parse(text: string): Reference {
  const body = text.slice(2, -1).trim();
  const parts = partsOf(body);
  const plain = parts.map((part) => (part.isReference ? "0".repeat(part.text.length) : part.text)).join("");
  const [, head = "", path = "", cast, fallback] = INNER.exec(plain) ?? [];
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

/** A value as its reference reads it.
 * @throws UnresolvedError for a text that is not of the type */
export function castValue(reference: Reference, value: unknown): unknown {
  const cast = CASTS[reference.cast ?? ""];
  if (cast === undefined) return value;
  const [what, holds] = cast;
  const typed = typeof value === "string" ? parseJson(value) : value;
  return holds(typed) ? typed : refuse(reference, `is not ${what}.`);
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

/** A value with its references resolved. A text that is one reference becomes the value, of any type; within a longer
 * text the value becomes part of it, and makes it {@link UNKNOWN} where it is.
 * @throws UnresolvedError
 * @throws RangeError for a malformed reference */
export function resolveAll(value: unknown, lookUp: (reference: Reference) => unknown): unknown {
  if (typeof value !== "string") return mapItems(value, (item) => resolveAll(item, lookUp));
  const parts = partsOf(value);
  const values = parts.map(({ text, isReference }) => {
    if (!isReference) return text.replaceAll("$${", () => "${");
    const reference = parse(text);
    const found = lookUp(reference);
    if (parts.length > 1 && typeof found === "object" && found !== null) {
      refuse(reference, "is not a scalar: it cannot be part of a text.");
    }
    return found;
  });
  if (values.length === 1) return values[0];
  return values.includes(UNKNOWN) ? UNKNOWN : values.join("");
}

/** The value at a path.
 * @throws UnresolvedError that names the first segment that does not exist */
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
