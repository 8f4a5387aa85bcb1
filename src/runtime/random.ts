import { createHash, randomBytes } from "node:crypto";

/** The one source of randomness: ids, tokens, temp names. */
export type Random = { bytes(size: number): Buffer };
export const systemRandom: Random = { bytes: (size) => randomBytes(size) };

/** Repeatable randomness for tests and seeded runs: SHA-256 in counter mode over the seed. Never for secrets. */
export function seededRandom(seed: string): Random {
  let counter = 0;
  return {
    bytes(size) {
      const parts: Buffer[] = [];
      for (let have = 0; have < size; have += 32) {
        parts.push(createHash("sha256").update(`${seed}:${counter++}`).digest());
      }
      return Buffer.concat(parts).subarray(0, size);
    },
  };
}
