// A long ledger against a short one, on files and on a Redis: opening it and reading a page must not grow with the
// history, and a page that was read before is remembered. Then what the command line needs, in time and memory, to list, export and verify the long one.
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createQuotaRules } from "../../dist/accounts/quota-rules.js";
import { createLedger } from "../../dist/ledger/ledger.js";
import { fixedClock } from "../../dist/runtime/clock.js";
import { openStorage } from "../../dist/storage/open-storage.js";
import { runMeasured } from "./measured-run.js";
import { startRedis } from "./redis.js";
import { median, table } from "./report.js";
import { seedLedger, START } from "./seed-ledger.js";

const SHORT = 100;
const LONG = Number(process.env.BENCH_ENTRIES ?? 1_000_000);
const PAGE_SIZE = 20;
const ROUNDS = 400;

const folder = await mkdtemp(join(tmpdir(), "anp-bench-"));
const redis = await startRedis(folder);
if (redis === undefined) console.log("redis-server is not installed: its part is left out");
try {
  for (const [name, url] of [
    ["files", `fs:${join(folder, "data")}`],
    ["Redis", redis?.url],
  ]) {
    if (url === undefined) continue;
    const seeding = performance.now();
    const storage = await openStorage(url);
    await seedLedger(storage, "short", SHORT);
    await seedLedger(storage, "long", LONG);
    console.log(`${name}: ${LONG} entries in ${Math.round((performance.now() - seeding) / 1000)} s`);
    await comparePages(storage, name);
    await readAgain(storage, name);
    if (name === "files") await seal(storage, join(folder, "data/users/long/ledger"));
    await storage.close();
    await measureCommands(url);
  }
} finally {
  await redis?.stop();
  await rm(folder, { recursive: true, force: true });
}

/** What a daemon does in the background. */
async function seal(storage, ledger) {
  const from = performance.now();
  await storage.tidy(Date.now());
  const inodes = new Set();
  for (const name of await readdir(ledger, { recursive: true })) inodes.add((await stat(join(ledger, name))).ino);
  console.log(`full folders are sealed in ${Math.round((performance.now() - from) / 1000)} s: ${inodes.size} inodes`);
}

async function comparePages(storage, name) {
  const clock = fixedClock(START);
  const newLedger = () => createLedger({ storage, clock, quotaRules: createQuotaRules("+08:00") });

  async function time(work) {
    const from = performance.now();
    await work();
    return performance.now() - from;
  }

  const page = (user, number) => async () => {
    const { entries } = await (await newLedger().open(user)).page(number, PAGE_SIZE);
    if (entries.length !== PAGE_SIZE) throw new Error(`a page of ${entries.length}`);
  };
  const works = {
    "opening, nothing remembered": [() => newLedger().open("short"), () => newLedger().open("long")],
    "opening and the first page": [page("short", 1), page("long", 1)],
    "… and a page in the middle": [page("short", 3), page("long", Math.floor(LONG / PAGE_SIZE / 2))],
    "… and the last page": [page("short", SHORT / PAGE_SIZE), page("long", LONG / PAGE_SIZE)],
  };
  const rows = [];
  for (const [what, [shortWork, longWork]] of Object.entries(works)) {
    const times = { short: [], long: [] };
    for (let round = 0; round < ROUNDS; round++) {
      times.short.push(await time(shortWork));
      times.long.push(await time(longWork));
    }
    const [short, long] = [median(times.short), median(times.long)];
    rows.push([what, short.toFixed(3), long.toFixed(3), (long / short).toFixed(2), "≤ 1.2"]);
  }
  table([`${name}, pages of ${PAGE_SIZE}`, `ms at ${SHORT}`, `ms at ${LONG}`, "ratio", "asked"], rows);
}

/** Pages that nobody has read yet, then the same again: by the clock, and in processor time. */
async function readAgain(storage, name) {
  const open = () => createLedger({ storage, clock: fixedClock(START), quotaRules: createQuotaRules("+08:00") });
  const pages = Math.min(ROUNDS, LONG / PAGE_SIZE);
  let ledger = open();
  const read = async (count) => {
    const times = [];
    const before = process.cpuUsage();
    for (let page = 1; page <= count; page++) {
      const from = performance.now();
      await (await ledger.open("long")).page(page, PAGE_SIZE);
      times.push(performance.now() - from);
    }
    const { user, system } = process.cpuUsage(before);
    return [median(times).toFixed(3), ((user + system) / 1000 / count).toFixed(3)];
  };
  await read(pages);
  ledger = open();
  const rows = [["first read", ...(await read(pages)), "≤ 0.5"]];
  rows.push(["again", ...(await read(pages)), "≤ 0.15"]);
  table([`${name}, a page of ${PAGE_SIZE}`, "ms", "ms of processor time", "asked"], rows);
}

async function measureCommands(url) {
  const commands = [
    ["ledger", "long", "--all"],
    ["ledger", "export", "long"],
    ["ledger", "verify", "long"],
    ["ledger", "summary", "long", "--since", "2026-01-01"],
  ];
  const rows = [];
  for (const words of commands) {
    for (const lines of words.includes("verify") || words.includes("summary") ? [Infinity] : [Infinity, 10]) {
      const { code, seconds, megabytes, bytes, stderr } = await runMeasured([...words, "--storage", url], lines);
      if (code !== 0 || stderr !== "") throw new Error(`anp ${words.join(" ")} ended with ${code}: ${stderr}`);
      const name = `anp ${words.join(" ")}${lines === 10 ? " | head" : ""}`;
      rows.push([name, seconds.toFixed(2), megabytes.toFixed(0), (bytes / 2 ** 20).toFixed(1), "≤ 100 MB"]);
    }
  }
  table(["command", "s", "MB RSS", "MB out", "asked"], rows);
}
