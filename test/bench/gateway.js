// What a second provider of a model saves while the first one fails in every way that is known here, and what stays of the
// daemon when many users wait for a slow model. Both providers are local servers; each way has a daemon of its own.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { groupBy } from "../../dist/runtime/group-by.js";
import { createUsersOn, start, stop, stopAll } from "./processes.js";
import { median, table } from "./report.js";

const CALLS = Number(process.env.BENCH_CALLS ?? 200); // Of each way, once the first provider is left alone.
const AT_ONCE = 4;
const CROWD = Number(process.env.BENCH_CLIENTS ?? 200);
const SLOW_MS = 2000;
const QUESTION = "提现手续费是多少？";
const HELP = join(import.meta.dirname, "../../fixtures/demo/help/zh.json");
const GOOD = "提现手续费按币种和网络收取固定数量 [1]。";

const says = (content) => (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const message = { role: "assistant", content };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  response.end(
    JSON.stringify({
      id: "1",
      object: "chat.completion",
      created: 1,
      model: "m",
      usage,
      choices: [{ index: 0, message, finish_reason: "stop" }],
    }),
  );
};
const fails =
  (status, headers = {}) =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end('{"error":{"message":"failing"}}');
  };
const starts =
  (text, then = () => {}) =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100000" });
    response.write(text, () => then(response));
  };

/** What the first provider may do instead of a good reply. */
const WAYS = {
  "status 500": fails(500),
  "status 503, busy": fails(503, { "retry-after": "60" }),
  "status 429, busy": fails(429, { "retry-after": "60" }),
  "status 401": fails(401),
  "a redirect": fails(302, { location: "http://127.0.0.1:1/" }),
  "nothing at all": () => {},
  "half of a reply": starts('{"id":'),
  "a reply that is cut": starts('{"id":', (response) => response.destroy()),
  "a closed connection": (response) => response.destroy(),
  "no server": null,
  "a page of HTML": (response) => response.end("<html>gateway</html>"),
  "300 KiB of blanks": (response) => response.end(" ".repeat(300 * 1024)),
  "an empty text": says(""),
  "a made-up figure": says("提现手续费是 77 BTC [1]。"),
  "no citation": says("提现手续费按币种和网络收取固定数量。"),
  "another language": says("Комиссия за вывод средств фиксированная [1]."),
  "a script": says("<script>alert(1)</script>提现手续费按币种和网络收取固定数量 [1]。"),
  "a made-up address": says("提现手续费见 https://evil.example/fees [1]。"),
  "advice to buy": says("建议您现在买入 BTC，价格会涨 [1]。"),
};

const folder = await mkdtemp(join(tmpdir(), "anp-bench-"));
const servers = [];
try {
  const second = await serve(says(GOOD));
  const users = Array.from({ length: CROWD }, (_, n) => `user-${n}`);
  const rows = [];
  let alone;
  for (const [name, turn] of [["the second alone", undefined], ...Object.entries(WAYS)]) {
    const first = turn === undefined ? second : turn === null ? "http://127.0.0.1:1/v1" : await serve(turn);
    const providers = turn === undefined ? [] : [provider(second)];
    const daemon = await serveAnp({ ...provider(first), timeout_ms: 4000, providers }, [users[0]]);
    // The first provider's breaker opens meanwhile: these calls wait for it.
    const before = await askAll(daemon, 16);
    const after = await askAll(daemon, CALLS);
    alone ??= after;
    const all = [...before, ...after];
    const answered = all.filter(({ model }) => model === "m").length;
    const [took, added] = [slowest(after), slowest(after) - slowest(alone)].map((ms) => Math.round(ms));
    rows.push([
      name,
      `${answered} of ${all.length}`,
      Math.round(slowest(before)),
      Math.round(median(after.map(({ ms }) => ms))),
      took,
      added,
    ]);
    await stop(daemon.child);
  }
  table(["first provider", "answered", "p99 ms at first", "p50 ms then", "p99 ms", "more than alone"], rows);

  const slow = await serve((response) => void delay(SLOW_MS).then(() => says(GOOD)(response)));
  const daemon = await serveAnp({ ...provider(slow), max_calls: 16, max_waiting: 32 }, users);
  const quiet = await watch(daemon, delay(SLOW_MS));
  const chats = Promise.all(daemon.tokens.map((token) => ask(daemon, token)));
  const busy = await watch(daemon, chats);
  const codes = groupBy(await chats, ({ code }) => code);
  console.log(`\n${CROWD} users at once, a reply takes ${SLOW_MS} ms, 16 calls at once and 32 waiting`);
  table(
    ["code", "users", "by the model", "fastest ms", "slowest ms"],
    Array.from(codes, ([code, of]) => {
      const ms = of.map((one) => one.ms);
      return [
        code,
        of.length,
        of.filter(({ model }) => model === "m").length,
        Math.round(Math.min(...ms)),
        Math.round(Math.max(...ms)),
      ];
    }),
  );
  console.log(`most calls upstream at once: ${slow.most}`);
  table(
    ["", "/me p50 ms", "/me longest ms", "memory MB"],
    [
      ["before", ...quiet],
      ["meanwhile", ...busy],
    ],
  );
} finally {
  await stopAll();
  for (const server of servers) server.closeAllConnections?.();
  await rm(folder, { recursive: true, force: true });
}
process.exit();

function provider(target) {
  const base_url = typeof target === "string" ? target : target.url;
  return { base_url, model: "m", max_retries: 0 };
}

function serve(turn) {
  const found = { running: 0, most: 0 };
  const server = createServer((request, response) => {
    found.most = Math.max(found.most, ++found.running);
    response.on("close", () => (found.running -= 1));
    request.resume().on("end", () => turn(response));
  });
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve(Object.assign(found, { url: `http://127.0.0.1:${server.address().port}/v1` })),
    );
  });
}

/** A daemon with this model on a storage of its own, and a token of each user. */
async function serveAnp(model, users) {
  const name = `world-${servers.length}-${Math.random()}`;
  const config = join(folder, `${name}.json`);
  const storage = `fs:${join(folder, name)}`;
  const limits = { rates: { chat: { requests: 0 } }, wait_ms: 0 };
  await writeFile(config, JSON.stringify({ model, limits, news: { help: { zh: HELP } } }));
  const tokens = await createUsersOn(storage, users);
  const args = ["bin/anp.js", "serve", "--storage", storage, "--config", config, "--port", "0"];
  const { child, found } = await start(process.execPath, args, /listens on (\S+)/);
  const daemon = { child, tokens, url: found[1] };
  // Until the help center is read, nothing is found, and no model is asked.
  while ((await ask(daemon, tokens[0])).model !== "m") await delay(50);
  return daemon;
}

async function ask({ url }, token) {
  const began = performance.now();
  const headers = { "content-type": "application/json", "x-user-token": token };
  const response = await fetch(`${url}/api/v1/ai/chat/send`, {
    method: "POST",
    headers,
    body: JSON.stringify({ question: QUESTION }),
  });
  const { code, data } = await response.json();
  return { code, model: data?.model_name, ms: performance.now() - began };
}

async function askAll(daemon, calls) {
  const results = [];
  const run = async () => {
    while (calls-- > 0) results.push(await ask(daemon, daemon.tokens[0]));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  return results;
}

function slowest(results) {
  const sorted = results.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1];
}

/** How long `/me` takes until `end`, and the daemon's memory then. */
async function watch(daemon, end) {
  let isOver = false;
  void end.then(() => (isOver = true));
  const times = [];
  while (!isOver) {
    const began = performance.now();
    await (await fetch(`${daemon.url}/api/v1/ai/me`, { headers: { "x-user-token": daemon.tokens[0] } })).arrayBuffer();
    times.push(performance.now() - began);
    await delay(20);
  }
  const status = await readFile(`/proc/${daemon.child.pid}/status`, "utf8");
  const memory = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024);
  return [median(times).toFixed(1), Math.max(...times).toFixed(1), memory];
}
