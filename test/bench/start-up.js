// How long the command line takes to start, against node itself, and what it loads for that.
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { median, table } from "./report.js";

const ROUNDS = Number(process.env.ANP_BENCH_ROUNDS ?? 25);
const bin = join(import.meta.dirname, "../../bin/anp.js");
const HEAVY = ["h3", "listhen", "ioredis", "zod", "@inquirer/prompts"];

function time(args) {
  const from = performance.now();
  execFileSync(process.execPath, args, { stdio: "ignore" });
  return performance.now() - from;
}

const commands = { "node -e 0": ["-e", "0"], "anp --help": [bin, "--help"], "anp --version": [bin, "--version"] };
const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, args] of Object.entries(commands)) times[name].push(time(args));
}
const base = median(times["node -e 0"]);
table(
  ["command", "ms", "ratio", "asked"],
  Object.keys(commands).map((name) => {
    const ms = median(times[name]);
    return [name, ms.toFixed(1), (ms / base).toFixed(2), name === "anp --help" ? "≤ 2" : ""];
  }),
);

const { stderr } = spawnSync(process.execPath, [bin, "--help"], {
  env: { ...process.env, NODE_DEBUG: "esm,module" },
  encoding: "utf8",
});
const loaded = HEAVY.filter((name) => stderr.includes(`/node_modules/${name}/`));
console.log(`of ${HEAVY.join(", ")}, anp --help loads: ${loaded.join(", ") || "none"}`);
