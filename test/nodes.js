// Runs all tests on every supported Node: npm run test:nodes [-- VERSION... [-- TEST FILES...]]
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const VERSIONS = ["20.19", "22", "24", "26"];

const separator = process.argv.indexOf("--", 2);
const end = separator === -1 ? process.argv.length : separator;
const asked = process.argv.slice(2, end);
const files = process.argv.slice(end + 1);
const vitest = join(import.meta.dirname, "../node_modules/vitest/vitest.mjs");

const failed = [];
for (const version of asked.length > 0 ? asked : VERSIONS) {
  console.log(`Node ${version}`);
  const command = ["-y", "-p", `node@${version}`, "node", vitest, "run", "--config", "test/vitest.config.ts", ...files];
  const { status } = spawnSync("npx", command, { cwd: join(import.meta.dirname, ".."), stdio: "inherit" });
  if (status !== 0) failed.push(version);
}
console.log(failed.length === 0 ? "All passed." : `Failed on Node ${failed.join(", ")}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
