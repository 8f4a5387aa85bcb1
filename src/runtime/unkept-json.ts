import { Decimal } from "decimal.js";

/** A place in a JSON text whose value JavaScript would change. */
export interface UnkeptValue {
  /** Names and indexes, as text. */
  readonly path: readonly string[];
  readonly message: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;
/** What a text with an unkept number or `__proto__` has; most texts have nothing of it, and are not read token by token. */
const SUSPECT = /[:,[]\s*-?(?:[\d.]{16}|[\d.]+e)|__proto__|\\u00/i;
const NAME_END = /"\s*:/g;
/** Shorter numbers without an exponent have at most 15 digits, which a double always keeps. */
const SHORT_NUMBER = /^-?[\d.]{1,15}$/;

/**
 * What of a JSON text `JSON.parse` and object literals would silently change: numbers that a double does not hold, names that
 * occur twice, and `__proto__`. Numbers beyond 2^53 - 1 are left to the schemas, which have a bound of their own.
 *
 * @param json valid JSON
 * @param value what `JSON.parse` makes of it
 * @example
 * findUnkept('{"a":[0.1000000000000000055]}', { a: [0.1] }); // [{ path: ["a", "0"], message: "must be a number that …" }]
 */
export function findUnkept(json: string, value: unknown): UnkeptValue[] {
  // Of a name that occurs twice the value has one.
  if (!SUSPECT.test(json) && (json.match(NAME_END)?.length ?? 0) === countNames(value)) return [];
  const found: UnkeptValue[] = [];
  /** Of each open container: the index of the element, or the names so far. */
  const open: { index: number; readonly names: Set<string> | undefined }[] = [];
  const path: string[] = [];
  let text = "";
  for (const [token] of json.matchAll(TOKEN)) {
    const inner = open.at(-1);
    if (token === "{" || token === "[") {
      open.push({ index: 0, names: token === "{" ? new Set() : undefined });
      path.push("0");
    } else if (token === "}" || token === "]") {
      open.pop();
      path.pop();
    } else if (token === ",") {
      if (inner?.names === undefined) path[path.length - 1] = String(++inner!.index);
    } else if (token === ":") {
      const name = JSON.parse(text) as string;
      path[path.length - 1] = name;
      if (name === "__proto__")
        found.push({ path: [...path], message: "must have another name: __proto__ is not kept" });
      if (inner!.names!.has(name)) found.push({ path: [...path], message: "must be given once" });
      inner!.names!.add(name);
    } else if (token.startsWith('"')) text = token;
    else if (!isKept(token)) {
      found.push({ path: [...path], message: "must be a number that a double keeps exactly; send others as strings" });
    }
  }
  return found;
}

/** Without recursion: a text may be nested as deeply as it is long. */
function countNames(value: unknown): number {
  const rest = [value];
  let names = 0;
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const items: unknown[] = Object.values(next);
    if (!Array.isArray(next)) names += items.length;
    for (const item of items) if (typeof item === "object") rest.push(item);
  }
  return names;
}

function isKept(number: string): boolean {
  if (SHORT_NUMBER.test(number)) return true;
  const value = Number(number);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return true;
  // An exponent beyond decimal.js' own range makes a zero of what is none.
  return new Decimal(number).eq(value) && (value !== 0 || !/^[^eE]*[1-9]/.test(number));
}
