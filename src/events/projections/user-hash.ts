import { createHash } from "node:crypto";

/** 48 bits of a user id's SHA-256 as a number: enough to distinguish users, smaller than the id, and not reversible to it. */
export function userHash(userId: string): number {
  return createHash("sha256").update(userId).digest().readUIntBE(0, 6);
}
