import { createHash } from "node:crypto";

/** 48 bits of a user id's SHA-256 as a number: enough to tell users apart, smaller than the id, and not the id. */
export function userHash(userId: string): number {
  return createHash("sha256").update(userId).digest().readUIntBE(0, 6);
}
