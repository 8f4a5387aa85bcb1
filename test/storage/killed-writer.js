// Writes 50,000-character values and acknowledges each on stdout, until it is killed.
import { writeSync } from "node:fs";
import { openStorage } from "../../dist/storage/open-storage.js";

const [, , folder, round] = process.argv;
const storage = await openStorage(`fs:${folder}`);
for (let n = 0; ; n++) {
  const key = `k${n}`;
  const value = String(n % 10).repeat(50_000);
  if (n % 2) await storage.create(["killed", round, key], value);
  else await storage.put(["killed", round, key], value);
  writeSync(1, `${JSON.stringify({ key, length: value.length })}\n`);
}
