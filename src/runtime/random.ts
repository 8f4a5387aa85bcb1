import { hash, randomBytes } from "node:crypto";

/** The one source of randomness: ids, tokens, temp names. */
export type Random = { bytes(size: number): Buffer };
export const systemRandom: Random = { bytes: (size) => randomBytes(size) };

/** Repeatable randomness for tests and seeded runs: SHA-256 in counter mode over the seed. Never for secrets. */
export function seededRandom(seed: string): Random {
  let counter = 0;
  return {
    bytes(size) {
      const next = () => hash("sha256", `${seed}:${counter++}`, "buffer");
      return Buffer.concat(Array.from({ length: Math.ceil(size / 32) }, next)).subarray(0, size);
    },
  };
}
