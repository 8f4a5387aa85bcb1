// Writes 50,000-character values and acknowledges each on stdout, until it is killed.
import { writeSync } from "node:fs";
import { openStorage } from "../../dist/storage/open-storage.js";

const [, , folder, round] = process.argv;
const storage = await openStorage(`fs:${folder}`);
/** Four write to the folder at once, and share its syncs. */
const WRITERS = 4;
await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));

async function write(first) {
  for (let n = first; ; n += WRITERS) {
    const key = `k${n}`;
    const value = String(n % 10).repeat(50_000);
    if (n % 3) await storage.create(["killed", round, key], value);
    else await storage.put(["killed", round, key], value);
    writeSync(1, `${JSON.stringify({ key, length: value.length })}\n`);
  }
}
