// The long runs of the test bench of faults: npm run soak -- SCENARIO [options]. The same tests as in `npm test`, longer.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const SCENARIOS = {
  "last-points": "rounds of 100 points, 4 processes with 64 clients each",
  "killed-processes": "kills of daemons and other processes under load",
  "killed-at-a-step": "every step of an append, of its storage calls and its file calls",
  "sealed-folders": "kills spread over the steps of sealing a full folder of a ledger, by default every step",
  "killed-erasures": "kills of processes that erase a user or prune, each run again; raw bytes are searched for words",
  "killed-refreshes": "kills of processes that refresh the news, each run again; items and topics are compared",
  "failing-calls": "runs with every storage call failing in turn",
  midnight: "midnights that 64 clients pass, with clocks an hour ahead and behind",
  "damaged-entries":
    "a ledger of 40 entries, each deleted, cut, flipped and repeated, with the service running and stopped",
  "flipped-bytes": "entries each of whose bits is flipped",
  "model-replies": "runs of each of 80 kinds of fault of a model",
  "model-canaries": "answers of a model that gives away prompts, keys, addresses, errors and other documents",
  "mixed-load": "minutes of mixed load on two daemons",
  "redis-restarts": "kills of a Redis under load",
  "redis-network": "connections to a Redis that are cut under load",
  "redis-failover": "failovers of a Redis to a replica of each kind: in step or behind, with and without WAIT",
  "lost-storage": "every way to lose a storage under load, once: renamed, unmounted, emptied, replaced",
  "redis-cluster": "slots of a cluster that are moved, primaries of it that are lost",
};
const USAGE = `npm run soak -- SCENARIO [options]

${Object.entries(SCENARIOS)
  .map(([name, text]) => `  ${name.padEnd(18)}${text}`)
  .join("\n")}

  --storage KIND     files, redis, cluster (started for the run), or the URL of an empty storage; default: all of them
  --seed N           what the run is made from; default: a new one, which is printed
  --count N          rounds, kills, runs, midnights, entries, cuts or failovers
  --minutes N        how long the mixed load lasts
  --rate N           requests a second of the mixed load
  --appendfsync WHEN always or everysec: how the Redis that is killed syncs its writes

A violation ends the run with exit code 1.`;

const OPTIONS = ["storage", "seed", "count", "minutes", "rate", "appendfsync"];
const STORAGES = /^(files|redis|cluster|(fs|redis|rediss|redis-cluster|rediss-cluster):.+)$/;

/** The scenario and its options. @throws Error in words for the user */
function readArguments() {
  const { values, positionals } = parseArgs({
    options: Object.fromEntries(OPTIONS.map((name) => [name, { type: "string" }])),
    allowPositionals: true,
  });
  const [scenario, ...others] = positionals;
  if (scenario === undefined) throw new Error("Name a scenario.");
  if (!Object.hasOwn(SCENARIOS, scenario)) throw new Error(`There is no scenario ${scenario}.`);
  if (others.length > 0) throw new Error(`${others[0]} is one word too many.`);
  const { storage, appendfsync, ...numbers } = { seed: String(Math.floor(Math.random() * 1e9)), ...values };
  if (storage !== undefined && !STORAGES.test(storage)) {
    throw new Error(`--storage is files, redis, cluster or the URL of a storage, not ${storage}.`);
  }
  if (appendfsync !== undefined && !["always", "everysec"].includes(appendfsync)) {
    throw new Error(`--appendfsync is always or everysec, not ${appendfsync}.`);
  }
  for (const [name, text] of Object.entries(numbers)) {
    const number = Number(text);
    const least = name === "seed" ? 0 : name === "count" ? 1 : Number.MIN_VALUE;
    const whole = name === "seed" || name === "count";
    const fits = whole ? Number.isSafeInteger(number) && number >= least : number >= least && number < Infinity;
    if (!fits || text.trim() === "") {
      throw new Error(
        `--${name} is a ${whole ? "whole " : ""}number ${name === "seed" ? "from 0 on" : "above 0"}, not ${text}.`,
      );
    }
  }
  const given = Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, Number(text)]));
  return { scenario, options: { ...given, ...(storage && { storage }), ...(appendfsync && { appendfsync }) } };
}

function run({ scenario, options }) {
  console.log(`${scenario}: ${JSON.stringify(options)}`);
  const root = join(import.meta.dirname, "../..");
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      `test/faults/${scenario}.test.ts`,
      "--config",
      join(root, "test/vitest.config.ts"),
      "--disable-console-intercept",
    ],
    { cwd: root, stdio: "inherit", env: { ...process.env, ANP_SOAK: JSON.stringify(options) } },
  );
  process.exitCode = status ?? 1;
}

if (process.argv.includes("--help")) console.log(USAGE);
else {
  let read;
  try {
    read = readArguments();
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  }
  if (read !== undefined) run(read);
}
