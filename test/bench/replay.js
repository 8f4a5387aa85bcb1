// A replay of a long export: lines a second and peak memory of the first run, of a second one that stores nothing, and of one
// that is interrupted, continued and run again. Every line must be stored exactly once. BENCH_LINES sets the number of
// lines; one of four has no id of its own, and is told from equal ones by its occurrence.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { BIN, runMeasured } from "./measured-run.js";
import { table } from "./report.js";

const LINES = Number(process.env.BENCH_LINES ?? 1_000_000);
const DAYS = 10;
const FROM = Date.parse("2026-11-10T00:00:00Z");

const folder = await mkdtemp(join(tmpdir(), "anp-bench-"));
const file = join(folder, "events.ndjson");
try {
  await pipeline(Readable.from(lines()), createWriteStream(file));
  console.log(`${LINES} lines, ${((await stat(file)).size / 2 ** 20).toFixed(0)} MB`);
  await measure();
} finally {
  await rm(folder, { recursive: true, force: true });
}

function* lines() {
  const step = (DAYS * 86_400_000) / LINES;
  for (let n = 0; n < LINES; n++) {
    const event = {
      ...(n % 4 !== 3 && { event_id: `e-${n}` }),
      // Each eighth line repeats the content of the one four before it.
      created_at: new Date(FROM + Math.floor((n % 8 === 7 ? n - 4 : n) * step)).toISOString(),
      user_id: `user-${(n * 7919) % 5000}`,
      event_type: n % 4 === 3 ? "page_view" : "answer_feedback",
      ...(n % 4 === 3 ? { user_id: "guest" } : { message_id: 100_000 + n, feedback_type: "helpful" }),
      event_payload: { page: "wallet", ms: (n % 4 === 3 ? 1 : n) % 900, ratio: 0.25, lang: "en" },
    };
    yield `${JSON.stringify(event)}\n`;
  }
}

async function measure() {
  const rows = [];
  const run = async (name, storage, { code = 0, interrupt_ms } = {}) => {
    const args = ["events", "replay", file, "--json", "--storage", `fs:${join(folder, storage)}`];
    const ended = await runMeasured(args, Infinity, interrupt_ms);
    if (ended.code !== code) throw new Error(`${name} ended with ${ended.code}: ${ended.stderr}`);
    const report = JSON.parse(ended.stdout);
    const { read, stored, skipped } = report;
    const rate = interrupt_ms === undefined ? Math.round(LINES / ended.seconds).toLocaleString("en") : "";
    rows.push([name, read, stored, skipped, ended.seconds.toFixed(1), rate, ended.megabytes.toFixed(0)]);
    return { ...ended, report };
  };
  const first = await run("first run", "one");
  await run("again", "one");
  await run("interrupted", "two", { code: 130, interrupt_ms: first.seconds * 500 });
  await run("continued", "two");
  const last = await run("again", "two");
  if (first.report.stored !== LINES || last.report.stored !== 0) throw new Error("not stored exactly once");
  table(["run", "read", "stored", "skipped", "s", "lines a second", "MB RSS"], rows);
  const [expected, one, two] = [await sumOf(createReadStream(file)), await exported("one"), await exported("two")];
  console.log(`the exports hold the file's events, each once: ${expected === one && expected === two}`);
  if (expected !== one || expected !== two) process.exitCode = 1;
}

async function exported(storage) {
  const args = [BIN, "events", "export", "--storage", `fs:${join(folder, storage)}`];
  return sumOf(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }).stdout);
}

/** The sum of the hashes of all lines, without what an export adds: the same whatever their order. */
async function sumOf(stream) {
  let sum = 0n;
  for await (const line of createInterface({ input: stream })) {
    const { event_id, ...event } = JSON.parse(line);
    const id = event_id?.startsWith("e-") ? event_id : "";
    const text = JSON.stringify([id, Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1))]);
    sum += BigInt(`0x${createHash("sha256").update(text).digest("hex").slice(0, 24)}`);
  }
  return sum;
}
