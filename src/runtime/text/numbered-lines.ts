import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

/** Reads a compressed file of lines, an empty line, and bytes about them: the number of each line, and those bytes. */
export function readNumberedLines(file: URL): { numbers: ReadonlyMap<string, number>; bytes: Buffer } {
  const bytes = brotliDecompressSync(readFileSync(file));
  const end = bytes.indexOf("\n\n");
  const numbers = new Map<string, number>();
  for (const line of bytes.toString("utf8", 0, end).split("\n")) numbers.set(line, numbers.size);
  return { numbers, bytes: bytes.subarray(end + 2) };
}
