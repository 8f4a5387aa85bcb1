// How long the command line takes to start, against node itself.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, table } from "./report.js";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 25);
const bin = join(import.meta.dirname, "../../bin/anp.js");
const folder = await mkdtemp(join(tmpdir(), "anp-bench-"));
const storage = `fs:${join(folder, "data")}`;

function time(args) {
  const from = performance.now();
  execFileSync(process.execPath, args, { stdio: "ignore" });
  return performance.now() - from;
}

execFileSync(process.execPath, [bin, "users", "create", "alice", "--storage", storage], { stdio: "ignore" });
const commands = {
  "node -e 0": ["-e", "0"],
  "anp --version": [bin, "--version"],
  "anp --help": [bin, "--help"],
  "anp quota alice, on files": [bin, "quota", "alice", "--storage", storage],
};
const ASKED = { "anp --help": "≤ 2", "anp quota alice, on files": "≤ 5" };
const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, args] of Object.entries(commands)) times[name].push(time(args));
}
const base = median(times["node -e 0"]);
table(
  ["command", "ms", "ratio", "asked"],
  Object.keys(commands).map((name) => {
    const ms = median(times[name]);
    return [name, ms.toFixed(1), (ms / base).toFixed(2), ASKED[name] ?? ""];
  }),
);

await rm(folder, { recursive: true, force: true });
