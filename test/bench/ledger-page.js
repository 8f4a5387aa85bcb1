// A page of a long ledger against a page of a short one, on files: the time must not grow with the history.
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createQuotaRules } from "../../dist/accounts/quota.js";
import { createLedger } from "../../dist/ledger/ledger.js";
import { fixedClock } from "../../dist/runtime/clock.js";
import { openStorage } from "../../dist/storage/open.js";
import { median, table } from "./report.js";

const SHORT = 100;
const LONG = Number(process.env.ANP_BENCH_ENTRIES ?? 100_000);
const PAGE_SIZE = 20;
const ROUNDS = 400;

// Filling needs a durable write an entry; memory-backed files make that bearable and change nothing about reading.
const parent = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const folder = await mkdtemp(join(parent, "anp-bench-"));
const storage = await openStorage(`fs:${folder}`);
const clock = fixedClock(Date.parse("2026-11-20T00:00:00Z"));
const open = () => createLedger({ storage, clock, quotaRules: createQuotaRules("+08:00") });
const ledger = open();

async function fill(user, entries) {
  for (let n = 0; n < entries; n++) {
    await ledger.post(user, {
      operation: { id: `bench:${n}`, request: n },
      command: { type: "adjust", delta: 1, reason: "benchmark", actor: "bench" },
      ref_id: `bench-${n}`,
      describe: () => "Benchmark",
    });
  }
}

async function time(user, page) {
  const from = performance.now();
  const { entries } = await ledger.page(user, page, PAGE_SIZE);
  const ms = performance.now() - from;
  if (entries.length !== PAGE_SIZE) throw new Error(`a page of ${entries.length}`);
  return ms;
}

const filling = performance.now();
await fill("short", SHORT);
await fill("long", LONG);
console.log(`filled ${LONG} entries in ${Math.round((performance.now() - filling) / 1000)} s`);

const pages = {
  "first page": [1, 1],
  "a page in the middle": [3, Math.floor(LONG / PAGE_SIZE / 2)],
  "last page": [SHORT / PAGE_SIZE, LONG / PAGE_SIZE],
};
const rows = [];
for (const [name, [shortPage, longPage]] of Object.entries(pages)) {
  const times = { short: [], long: [] };
  for (let round = 0; round < ROUNDS; round++) {
    times.short.push(await time("short", shortPage));
    times.long.push(await time("long", longPage));
  }
  const short = median(times.short);
  const long = median(times.long);
  rows.push([name, short.toFixed(3), long.toFixed(3), (long / short).toFixed(2), "≤ 1.2"]);
}
const opening = { short: [], long: [] };
for (let round = 0; round < ROUNDS; round++) {
  for (const user of ["short", "long"]) {
    const fresh = open();
    const from = performance.now();
    await fresh.standing(user);
    opening[user].push(performance.now() - from);
  }
}
const [short, long] = [median(opening.short), median(opening.long)];
rows.push(["opening, nothing remembered", short.toFixed(3), long.toFixed(3), (long / short).toFixed(2), ""]);
table([`page of ${PAGE_SIZE}`, `ms at ${SHORT}`, `ms at ${LONG}`, "ratio", "asked"], rows);
await rm(folder, { recursive: true, force: true });
