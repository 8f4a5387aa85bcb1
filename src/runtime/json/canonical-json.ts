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
  let text = "";
  for (const name of Object.keys(fields).sort()) {
    const field = fields[name];
    if (field === undefined) continue;
    text += `${text === "" ? "" : ","}${quoted(name)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}

/** SHA-256 in hex. */
export const sha256 = (text: string): string => hash("sha256", text);
/** Most strings need no escapes. */
const quoted = (text: string): string => (/^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : JSON.stringify(text));
