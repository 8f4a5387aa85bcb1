// The long runs of the test bench of faults: npm run soak -- SCENARIO [options]. The same tests as in `npm test`, longer.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const SCENARIOS = {
  "last-points": "rounds of 100 points, 4 processes with 64 clients each",
  "killed-processes": "kills of daemons and other processes under load",
  "killed-at-a-step": "every step of an append, of its storage calls and its file calls",
  "failing-calls": "runs with every storage call failing in turn",
  midnight: "midnights that 64 clients pass, with clocks an hour ahead and behind",
  "flipped-bytes": "entries each of whose bits is flipped",
  "mixed-load": "minutes of mixed load on two daemons",
  "redis-restarts": "kills of a Redis under load",
  "redis-network": "connections to a Redis that are cut under load",
  "redis-failover": "failovers of a Redis to a replica of each kind: in step or behind, with and without WAIT",
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

const { values, positionals } = parseArgs({
  options: Object.fromEntries(
    ["storage", "seed", "count", "minutes", "rate", "appendfsync"].map((name) => [name, { type: "string" }]),
  ),
  allowPositionals: true,
});
const [scenario] = positionals;
const numbers = Object.fromEntries(
  Object.entries({ seed: String(Math.floor(Math.random() * 1e9)), ...values })
    .filter(([name]) => name !== "storage" && name !== "appendfsync")
    .map(([name, text]) => [name, Number(text)]),
);

if (positionals.length !== 1 || !Object.hasOwn(SCENARIOS, scenario) || Object.values(numbers).some(Number.isNaN)) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  const { storage, appendfsync } = values;
  const options = { ...numbers, ...(storage && { storage }), ...(appendfsync && { appendfsync }) };
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
