// Runs the evaluations on labelled data: node test/eval/run.js --data DIR [name of a file …]
// writes the models of the outcome: node test/eval/run.js outcome-model --data DIR --to DIR
// and the prompts of a verifier: node test/eval/run.js verdict-prompts --to DIR [--ids reply-001,reply-002]
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { data: { type: "string" }, to: { type: "string" }, ids: { type: "string" } },
  allowPositionals: true,
});
const root = join(import.meta.dirname, "../..");
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const settings = {
  ...(values.data !== undefined && { ANP_DATA: resolve(values.data) }),
  ...(values.to !== undefined && { ANP_EVAL_TO: resolve(values.to) }),
  ...(values.ids !== undefined && { ANP_EVAL_IDS: values.ids }),
};
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--config", join(import.meta.dirname, "vitest.config.ts"), ...positionals],
  { cwd: root, stdio: "inherit", env: { ...process.env, ...settings } },
);
process.exitCode = status ?? 1;
