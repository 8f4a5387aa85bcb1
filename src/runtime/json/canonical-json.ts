import { hash } from "node:crypto";

/** JSON with the keys of every object in code-unit order and no white space, so that equal values have equal text
 * (the scheme of RFC 8785 for the values we store: strings, safe integers, short decimals, booleans, null). */
export function canonicalJson(value: unknown): string {
  // Built by hand: every entry of a ledger passes here, and JSON.stringify at each field costs twice as much.
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  const { ordered, begins } = orderOf(Object.keys(fields));
  let text = "";
  for (let at = 0; at < ordered.length; at++) {
    const field = fields[ordered[at]!];
    if (field !== undefined) text += (text === "" ? "" : ",") + begins[at]! + canonicalJson(field);
  }
  return `{${text}}`;
}

interface Order {
  readonly names: readonly string[];
  readonly ordered: readonly string[];
  readonly begins: readonly string[]; // Per sorted field: its quoted name and separator.
}
const orders: Order[] = []; // A cache: most objects have one of few shapes.
const MAX_ORDERS = 64; // Objects from outside may have any names.

function orderOf(names: readonly string[]): Order {
  const isSame = (order: Order): boolean =>
    order.names.length === names.length && order.names.every((name, at) => name === names[at]);
  const known = orders.find(isSame);
  if (known !== undefined) return known;
  if (orders.length === MAX_ORDERS) orders.length = 0;
  const ordered = names.toSorted();
  const order = { names, ordered, begins: ordered.map((name) => `${quoted(name)}:`) };
  orders.push(order);
  return order;
}

/** SHA-256 in hex. */
export const sha256 = (text: string): string => hash("sha256", text);
/** Most strings need no escapes. */
const quoted = (text: string): string => (/^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : JSON.stringify(text));
