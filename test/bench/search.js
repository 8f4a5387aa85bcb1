// One day's adjustments in the ledgers of many users, on files and on a Redis: what `anp ledger search` takes of time,
// processor and memory. BENCH_USERS and BENCH_ENTRIES set the numbers; each user has entries over 100 days.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage } from "../../dist/storage/open-storage.js";
import { runMeasured } from "./measured-run.js";
import { startRedis } from "./redis.js";
import { table } from "./report.js";
import { seedLedger, START } from "./seed-ledger.js";

const USERS = Number(process.env.BENCH_USERS ?? 10_000);
const ENTRIES = Number(process.env.BENCH_ENTRIES ?? 1_000_000) / USERS;
const DAYS = 100;
const DAY_MS = 86_400_000;
const ROUNDS = 3;

const dayAt = (days) => new Date(START + days * DAY_MS).toISOString().slice(0, 10);
const SEARCHES = { "the last day": dayAt(DAYS - 1), "a day in the middle": dayAt(DAYS / 2) };

const folder = await mkdtemp(join(tmpdir(), "anp-bench-"));
const redis = await startRedis(folder);
try {
  const rows = [];
  for (const [name, url] of [
    ["files", `fs:${join(folder, "data")}`],
    ["Redis", redis?.url],
  ]) {
    if (url === undefined) continue;
    await seed(url);
    for (const [what, day] of Object.entries(SEARCHES)) rows.push(await measure(name, url, what, day));
  }
  table(["storage", "search", "found", "s", "processor s", "MB RSS"], rows);
} finally {
  await redis?.stop();
  await rm(folder, { recursive: true, force: true });
}

async function seed(url) {
  const from = performance.now();
  const storage = await openStorage(url);
  const options = { every_ms: Math.floor((DAYS * DAY_MS) / ENTRIES), adjusts: 25 };
  for (let user = 0; user < USERS; user++) await seedLedger(storage, `user${user}`, ENTRIES, options);
  await storage.close();
  console.log(`${url}: ${USERS} users in ${Math.round((performance.now() - from) / 1000)} s`);
}

async function measure(name, url, what, day) {
  const runs = [];
  for (let round = 0; round < ROUNDS; round++) {
    const words = ["ledger", "search", "--type", "adjust", "--since", day, "--until", day, "-o", "jsonl"];
    const run = await runMeasured([...words, "--storage", url]);
    if (run.code !== 0) throw new Error(run.stderr);
    runs.push(run);
  }
  runs.sort((a, b) => a.processor - b.processor);
  const { seconds, processor, megabytes, lines: found } = runs[0];
  return [name, what, found, seconds.toFixed(1), processor.toFixed(1), megabytes.toFixed(0)];
}
