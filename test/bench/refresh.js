// What a refresh costs of which a tenth is new: processor time of the daemon, and bytes written. BENCH_ITEMS: how many
// items there are (default 2000,10000,20000). BENCH_ROUNDS: refreshes of each (default 3). BENCH_BIN: another build.
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createUsersOn, processorMs, start, stopAll } from "./processes.js";
import { median, table } from "./report.js";
import { newsOf, refresh, serveFeeds } from "./stall/feed-server.js";
import { entry, rssOf } from "./stall/generated-news.js";

const BIN = process.env.BENCH_BIN ?? join(import.meta.dirname, "../../bin/anp.js");
const SIZES = (process.env.BENCH_ITEMS ?? "2000,10000,20000").split(",").map(Number);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const FEED = 100; // Items of a feed, of which a tenth leaves it and as many are new.
const UNLIMITED = { rates: { refresh: { requests: 0 } } };
const DAY_MS = 86_400_000;

/** Bytes that a process has handed to files and sockets. */
const written = (pid) => Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, "utf8"))[1]);

async function measure(count) {
  const folder = await mkdtemp(join(tmpdir(), "anp-refresh-"));
  const storage = `fs:${join(folder, "data")}`;
  const [token] = await createUsersOn(storage, ["bench"]);
  const from = Date.now();
  const feeds = Array.from({ length: count / FEED }, (_, n) =>
    Array.from({ length: FEED }, (_, k) => entry(n, from - (k / FEED) * DAY_MS)),
  );
  const { urls, close } = await serveFeeds(feeds.map((_, n) => () => Buffer.from(rssOf(feeds[n]))));
  const config = join(folder, "config.json");
  await writeFile(
    config,
    JSON.stringify({ ...newsOf(urls, { max_items: count, min_interval_ms: 0 }), limits: UNLIMITED }),
  );
  const args = [BIN, "serve", "--port", "0", "--config", config, "--storage", storage];
  const { child, found } = await start(process.execPath, args, /listens on (\S+)/);
  const daemon = { url: found[1] };
  try {
    const rounds = [];
    let first;
    for (let round = 0; round <= ROUNDS; round++) {
      const [cpu, bytes] = [processorMs(child.pid), written(child.pid)];
      const { news_updated_count } = await refresh(daemon, token);
      const used = [processorMs(child.pid) - cpu, written(child.pid) - bytes];
      if (round === 0) first = used;
      else rounds.push(used);
      const expected = round === 0 ? count : count / 10;
      if (news_updated_count !== expected) throw new Error(`${news_updated_count} items are new, not ${expected}`);
      for (const [n, entries] of feeds.entries()) {
        entries.splice(-FEED / 10);
        for (let k = 0; k < FEED / 10; k++) entries.unshift(entry(n, Date.now() - k * 1000));
      }
    }
    const [cpu, bytes] = [0, 1].map((at) => median(rounds.map((round) => round[at])));
    const fresh = feeds.reduce((sum, entries) => sum + rssOf(entries.slice(0, FEED / 10)).length, 0);
    return [count, ...first, cpu, bytes, fresh].map((value) => Math.round(value).toLocaleString("en"));
  } finally {
    await stopAll();
    await close();
    await rm(folder, { recursive: true });
  }
}

const rows = [];
for (const count of SIZES) rows.push(await measure(count));
table(["items", "all new: ms", "bytes", "a tenth new: ms", "bytes", "bytes of what is new in the feeds"], rows);
