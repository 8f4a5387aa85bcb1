import { createHash } from "node:crypto";

/**
 * JSON with the keys of every object in code-unit order and no white space, so that equal values have equal text
 * (the scheme of RFC 8785 for the values we store: strings, safe integers, short decimals, booleans, null).
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
    return `{${fields.join(",")}}`;
  }
  return JSON.stringify(value);
}

/** SHA-256 in hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
