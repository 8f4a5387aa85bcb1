import { readCompressed } from "../runtime/compressed-file.ts";

/** Word vectors from a file of numbered lines. After the words, the file has one byte of rarity per word, one float32 scale
 * per vector, and the vectors as int8. */
export type WordVectors = ReturnType<typeof readWordVectors>;

/** @param dimensions of a vector */
export function readWordVectors(file: URL, dimensions: number) {
  const { numbers, bytes } = readNumberedLines(file);
  const { size } = numbers;
  const values = new Int8Array(bytes.buffer, bytes.byteOffset + 5 * size, dimensions * size);
  return {
    has: (word: string): boolean => numbers.has(word),
    /** The rarity of a word, 0 to 1; 1 for a word without a vector. */
    rarityOf: (word: string): number => (bytes[numbers.get(word) ?? -1] ?? 255) / 255,
    /** Adds the vector of a word to a sum; an unknown word adds nothing. */
    addTo(sum: Float32Array, word: string, weight = 1): void {
      const number = numbers.get(word);
      if (number === undefined) return;
      const scale = weight * bytes.readFloatLE(size + 4 * number);
      const from = dimensions * number;
      for (let at = 0; at < dimensions; at++) sum[at]! += scale * values[from + at]!;
    },
    rest: bytes.subarray((5 + dimensions) * size), // The bytes after the vectors.
  };
}

/** Reads a compressed file of lines, an empty line and binary data. Returns the number of each line, and the data. */
export function readNumberedLines(file: URL): { numbers: ReadonlyMap<string, number>; bytes: Buffer } {
  const bytes = readCompressed(file);
  const end = bytes.indexOf("\n\n");
  const numbers = new Map<string, number>();
  for (const line of bytes.toString("utf8", 0, end).split("\n")) numbers.set(line, numbers.size);
  return { numbers, bytes: bytes.subarray(end + 2) };
}
