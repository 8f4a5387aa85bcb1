import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

/** Vectors of words, from a file of numbered lines. Behind the words it has a byte of each for how rare it is, the scale of
 * each one's vector, and the vectors, a byte a number. */
export type WordVectors = ReturnType<typeof readWordVectors>;

/** @param dimensions of a vector */
export function readWordVectors(file: URL, dimensions: number) {
  const { numbers, bytes } = readNumberedLines(file);
  const { size } = numbers;
  const values = new Int8Array(bytes.buffer, bytes.byteOffset + 5 * size, dimensions * size);
  return {
    has: (word: string): boolean => numbers.has(word),
    /** How rare a word is, 0 to 1: 1 if it has no vector. */
    rarityOf(word: string): number {
      const number = numbers.get(word);
      return number === undefined ? 1 : bytes[number]! / 255;
    },
    /** Adds the vector of a word to a sum; one that is not known has none. */
    addTo(sum: Float32Array, word: string, weight = 1): void {
      const number = numbers.get(word);
      if (number === undefined) return;
      const scale = weight * bytes.readFloatLE(size + 4 * number);
      const from = dimensions * number;
      for (let at = 0; at < dimensions; at++) sum[at]! += scale * values[from + at]!;
    },
    /** What the file has behind the vectors. */
    rest: bytes.subarray((5 + dimensions) * size),
  };
}

/** Reads a compressed file of lines, an empty line, and bytes about them: the number of each line, and those bytes. */
export function readNumberedLines(file: URL): { numbers: ReadonlyMap<string, number>; bytes: Buffer } {
  const bytes = brotliDecompressSync(readFileSync(file));
  const end = bytes.indexOf("\n\n");
  const numbers = new Map<string, number>();
  for (const line of bytes.toString("utf8", 0, end).split("\n")) numbers.set(line, numbers.size);
  return { numbers, bytes: bytes.subarray(end + 2) };
}
