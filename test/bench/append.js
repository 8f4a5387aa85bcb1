// A durable append through the ledger against the bare write it rests on, with as many clients, in the same run: on
// files a loop of temp file, fsync, link, fsync; on a Redis that syncs every write a loop of SET NX; beside SQLite with
// synchronous=FULL, which is installed for this benchmark alone, into a folder of its own.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { link, mkdir, mkdtemp, open, rm, unlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { createQuotaRules } from "../../dist/accounts/quota-rules.js";
import { ledgerKey } from "../../dist/ledger/entry.js";
import { createLedger } from "../../dist/ledger/ledger.js";
import { systemClock } from "../../dist/runtime/clock.js";
import { openStorage } from "../../dist/storage/open-storage.js";
import { startRedis } from "./redis.js";
import { median, table } from "./report.js";

const CLIENTS = Number(process.env.BENCH_CLIENTS ?? 16);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const ROUNDS = 5;
const folder = await mkdtemp(join(tmpdir(), "anp-bench-"));

let calls = 0;

/** How often a second `work(client, n)` ends, with all clients at it at once; no n comes twice. */
async function rate(work) {
  const from = performance.now();
  const until = from + SECONDS * 1000;
  let done = 0;
  const client = async (number) => {
    for (; performance.now() < until; done++) await work(number, calls++);
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return (done / (performance.now() - from)) * 1000;
}

function ledgerOn(storage) {
  const ledger = createLedger({ storage, clock: systemClock, quotaRules: createQuotaRules("+08:00") });
  const run = randomUUID();
  return (client, n) =>
    ledger.post(`user-${run}-${client}`, {
      operation: { id: `${run}:${n}`, request: n },
      command: { type: "adjust", delta: 1, reason: "benchmark", actor: "bench" },
      ref_id: `bench-${n}`,
      lang: "en",
    });
}

/** The text of an entry, so that the bare writes carry as much. */
async function entryText() {
  const storage = await openStorage("memory:");
  const { entry } = await ledgerOn(storage)(0, 0);
  const text = await storage.get([...ledgerKey(entry.user_id), "0", "1"]);
  return text;
}

async function filesLoop(text) {
  const base = join(folder, `bare-${randomUUID()}`);
  await mkdir(base);
  const folders = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      const path = join(base, String(client));
      await mkdir(path);
      return path;
    }),
  );
  return async (client, n) => {
    const temp = join(folders[client], `.${n}.tmp`);
    const file = await open(temp, "w");
    await file.writeFile(text);
    await file.sync();
    await file.close();
    await link(temp, join(folders[client], `${n}.json`));
    await unlink(temp);
    const directory = await open(folders[client], "r");
    await directory.sync();
    await directory.close();
  };
}

/** A database as a service would use it: one row an entry, one transaction an append, written ahead and synced. */
async function sqlite(text) {
  const home = join(folder, "sqlite");
  await mkdir(home);
  const installed = spawnSync("npm", ["install", "--prefix", home, "--no-audit", "--no-fund", "better-sqlite3@^12"], {
    encoding: "utf8",
  });
  if (installed.status !== 0) {
    console.log(`SQLite could not be installed: ${installed.stderr.trim().split("\n").at(-1)}`);
    return undefined;
  }
  const Database = createRequire(join(home, "package.json"))("better-sqlite3");
  const database = new Database(join(home, "ledger.db"));
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec("CREATE TABLE entries (user TEXT, id INTEGER, entry TEXT, PRIMARY KEY (user, id)) WITHOUT ROWID");
  const last = database.prepare("SELECT max(id) AS id FROM entries WHERE user = ?");
  const insert = database.prepare("INSERT INTO entries VALUES (?, ?, ?)");
  const append = database.transaction((user) => insert.run(user, (last.get(user).id ?? 0) + 1, text));
  return async (client) => {
    append(`user-${client}`);
    // A server would look at its sockets between two transactions.
    await new Promise(setImmediate);
  };
}

/** Runs all of them in turn, several times, and gives the middle of each one's rates. */
async function compare(works) {
  const rates = new Map(Object.keys(works).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, work] of Object.entries(works)) if (work !== undefined) rates.get(name).push(await rate(work));
  }
  return Object.fromEntries([...rates].map(([name, found]) => [name, median(found)]));
}

const text = await entryText();
console.log(`${CLIENTS} clients, one user each, ${ROUNDS} rounds of ${SECONDS} s; an entry has ${text.length} bytes`);
const rows = [];

const files = await openStorage(`fs:${join(folder, "files")}`);
const onFiles = await compare({ bare: await filesLoop(text), ledger: ledgerOn(files), sqlite: await sqlite(text) });
await files.close();
rows.push(["files: temp, fsync, link, fsync", Math.round(onFiles.bare), "", ""]);
rows.push(["ledger on files", Math.round(onFiles.ledger), (onFiles.ledger / onFiles.bare).toFixed(2), "≥ 0.8"]);
if (onFiles.sqlite !== undefined) {
  rows.push(["SQLite, synchronous=FULL", Math.round(onFiles.sqlite), "", ""]);
  rows.push(["ledger on files : SQLite", "", (onFiles.ledger / onFiles.sqlite).toFixed(2), "told"]);
}

const server = await startRedis(folder, "always");
if (server === undefined) console.log("redis-server is not installed: its part is left out");
else {
  const client = new Redis({ port: server.port, host: "127.0.0.1" });
  const run = randomUUID();
  const redis = await openStorage(`redis://127.0.0.1:${server.port}`);
  const onRedis = await compare({
    bare: (number, n) => client.set(`bare:${run}:${number}:${n}`, text, "NX"),
    ledger: ledgerOn(redis),
  });
  client.disconnect();
  await redis.close();
  await server.stop();
  rows.push(["Redis, appendfsync always: SET NX", Math.round(onRedis.bare), "", ""]);
  rows.push(["ledger on that Redis", Math.round(onRedis.ledger), (onRedis.ledger / onRedis.bare).toFixed(2), "≥ 0.7"]);
}
table(["appends", "a second", "ratio", "asked"], rows);
await rm(folder, { recursive: true, force: true });
