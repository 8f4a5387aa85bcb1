import { createHash } from "node:crypto";

/** The entity tag of a body or of what it was made of (RFC 9110 §8.8.3), in quotes. */
export function entityTag(content: string | Uint8Array): string {
  return `"${createHash("sha256").update(content).digest("base64url")}"`;
}

/** Whether an If-None-Match header names the tag. Tags are compared weakly (RFC 9110 §13.1.2). */
export function namesTag(header: string | null, tag: string): boolean {
  if (header === null) return false;
  const tags = header.split(",").map(withoutWeakness);
  return tags.includes("*") || tags.includes(withoutWeakness(tag));
}

function withoutWeakness(tag: string): string {
  return tag.trim().replace(/^W\//, "");
}
