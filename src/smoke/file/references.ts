import type { ValuePath } from "../../contract/validation/validate-value.ts";
import { itemsOf } from "../../runtime/json/json-values.ts";

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
export const partsOf = (text: string) => split(text).map((part) => (isReference(part) ? parse(part) : part));

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
