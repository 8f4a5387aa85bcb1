import { existsSync, readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

/** Reads a data file `*.br`. For a quicker start, the build puts it decompressed beside the compiled modules, without `.br`. */
export function readCompressed(file: URL): Buffer {
  const decompressed = new URL(file.href.slice(0, -".br".length));
  return existsSync(decompressed) ? readFileSync(decompressed) : brotliDecompressSync(readFileSync(file));
}
