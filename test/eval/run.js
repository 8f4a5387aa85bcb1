// Runs the evaluations on labelled data: node test/eval/run.js --data DIR [name of a file …]
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({ options: { data: { type: "string" } }, allowPositionals: true });
const root = join(import.meta.dirname, "../..");
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--config", join(import.meta.dirname, "vitest.config.ts"), ...positionals],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...(values.data === undefined ? {} : { ANP_DATA: resolve(values.data) }) },
  },
);
process.exitCode = status ?? 1;
