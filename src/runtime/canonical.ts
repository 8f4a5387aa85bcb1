import { createHash } from "node:crypto";

/**
 * JSON with the keys of every object in code-unit order and no white space, so that equal values have equal text
 * (the scheme of RFC 8785 for the values we store: strings, safe integers, short decimals, booleans, null).
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  // Built by hand: every entry of a ledger passes here, and chains of array methods cost three times as much.
  const fields = value as Readonly<Record<string, unknown>>;
  let text = "";
  for (const name of Object.keys(fields).sort()) {
    const field = fields[name];
    if (field === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}

/** SHA-256 in hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
