import { createHash } from "node:crypto";

/** The first `length` hex digits of a SHA-256 over the parts, whose borders count. */
export function digestOf(parts: readonly string[], length = 16): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, length);
}
