import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Largest text of a compressed file, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The text of a file; that of a gzip file is decompressed.
 *
 * @throws Error for a file that cannot be read, is not UTF-8, or is larger than 16 MiB when decompressed
 */
export function readText(path: string): string {
  const bytes = readFileSync(path);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = isGzip ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes;
  return new TextDecoder("utf-8", { fatal: true }).decode(plain);
}
