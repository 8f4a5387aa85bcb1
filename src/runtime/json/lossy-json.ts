import { Decimal } from "decimal.js";
const SUSPECT = /[:,[]\s*-?(?:[\d.]{16}|[\d.]+e)|__proto__|\\u00/i; // Texts without a match are not tokenized.
const SHORT_NUMBER = /^-?[\d.]{1,15}$/; // At most 15 digits without an exponent: a double always keeps them.

/** Finds values of a valid JSON text that `JSON.parse` and object literals change silently: numbers that a double
 * cannot hold, and `__proto__`. Numbers beyond 2^53 - 1 are left to the schemas, which have a bound of their own.
 * @returns paths of names and indexes, with what must be changed there */
export function findLossyValues(json: string): { readonly path: readonly string[]; readonly message: string }[] {
  const found: { path: string[]; message: string }[] = [];
  if (!SUSPECT.test(json)) return found;
  const path: string[] = [];
  const indexes: number[] = []; // Of each open container: the index of its element, -1 in an object.
  let text = "";
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]/g)) {
    const index = indexes.at(-1) ?? -1;
    if (token === "{" || token === "[") {
      indexes.push(token === "[" ? 0 : -1);
      path.push("0");
    } else if (token === "}" || token === "]") {
      indexes.pop();
      path.pop();
    } else if (token === ":") {
      path[path.length - 1] = JSON.parse(text) as string;
      if (path.at(-1) === "__proto__") found.push({ path: [...path], message: PROTO });
    } else if (token === "," && index >= 0) {
      path[path.length - 1] = String(index + 1);
      indexes[indexes.length - 1] = index + 1;
    } else if (token.startsWith('"')) text = token;
    else if (token !== "," && !isKept(token)) found.push({ path: [...path], message: INEXACT });
  }
  return found;
}

const PROTO = "must have another name: __proto__ is not kept";
const INEXACT = "must be a number that a double keeps exactly; send others as strings";

function isKept(number: string): boolean {
  const value = Number(number);
  if (SHORT_NUMBER.test(number) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return true;
  // An exponent outside decimal.js' range turns a nonzero number into zero.
  return new Decimal(number).eq(value) && (value !== 0 || !/^[^eE]*[1-9]/.test(number));
}
