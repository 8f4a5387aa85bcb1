// 10,000 hostile tokens, ids, bodies and headers each against one daemon: what it answers, how its memory grows, and how much
// it logs a second.
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { table } from "./report.js";

const EACH = Number(process.env.BENCH_EACH ?? 10_000);
const CONNECTIONS = 32;

const folder = mkdtempSync(join(tmpdir(), "anp-bench-"));
const log = join(folder, "log");
const bin = join(import.meta.dirname, "../../bin/anp.js");
const child = spawn(process.execPath, [bin, "serve", "--demo", "--port", "0", "--storage", `fs:${folder}/data`], {
  stdio: ["ignore", "ignore", openSync(log, "w")],
});
let port = 0;
while (port === 0) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  port = Number(/listens on http:\/\/[^:]+:(\d+)/.exec(readFileSync(log, "utf8"))?.[1] ?? 0);
}

// A linear congruential generator: every run sends the same.
let state = 1;
const below = (most) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % most;
const pick = (list) => list[below(list.length)];
const text = (most) =>
  Array.from({ length: below(most) }, () =>
    pick(["a", "0", "\u001b[2J", "\u202e", "%", "<", "..", "{", '"', "é", "中", "."]),
  ).join("");
const latin = (most) => text(most).replaceAll(/[^\u0021-\u007e]/g, "~");

const KINDS = {
  tokens: () =>
    get(
      "/api/v1/ai/me",
      `X-User-Token: ${pick([latin(80), `eyJ${latin(60)}.${latin(60)}.${latin(60)}`, "x".repeat(below(8000))])}`,
    ),
  ids: () =>
    post(
      "/api/v1/ai/events",
      JSON.stringify({ event_type: text(40), session_id: pick([1, -1, 1e308, "1"]), message_id: below(1e9) }),
      `X-Request-Id: ${latin(200)}\r\nIdempotency-Key: ${latin(200)}`,
    ),
  bodies: () =>
    post(
      "/api/v1/ai/points/trade-reward",
      pick([
        () => "[".repeat(below(20_000)),
        () =>
          `{"trade_type":"spot","volume_usd":${pick(["1e999", "-0", "1e-320", "9".repeat(400)])},"ref_id":"${latin(50)}"}`,
        () => JSON.stringify({ __proto__: null, constructor: text(50), ref_id: text(3000) }),
        () => text(2000),
        () => "\u0000".repeat(below(1000)),
      ])(),
    ),
  headers: () =>
    get(
      `/api/v1/news/hot?limit=${latin(20)}`,
      Array.from({ length: below(60) }, () => `${latin(20)}: ${latin(300)}`).join("\r\n"),
    ),
};

function get(path, headers) {
  return `GET ${path.replaceAll(" ", "+")} HTTP/1.1\r\nHost: anp\r\n${headers}\r\n\r\n`;
}

function post(path, body, headers = "X-A: b") {
  const bytes = Buffer.byteLength(body);
  return `POST ${path} HTTP/1.1\r\nHost: anp\r\nContent-Type: application/json\r\nX-User-Token: demo-token\r\n${headers}\r\nContent-Length: ${bytes}\r\n\r\n${body}`;
}

/** Sends requests one after the other, on a new connection where the last one was closed. */
async function sendAll(make, count, statuses) {
  let socket;
  for (let n = 0; n < count; n++) {
    if (socket === undefined || socket.destroyed) socket = connect(port, "127.0.0.1").on("error", () => undefined);
    const status = await new Promise((resolve) => {
      const current = socket;
      let answer = "";
      const hear = (chunk) => {
        answer += chunk.toString("latin1");
        if (/"request_id":"[^"]+"\}(?:\r\n0\r\n\r\n)?$/.test(answer)) end();
      };
      const end = () => {
        current.off("data", hear).off("close", end);
        resolve(answer.slice(9, 12) || "none");
      };
      current.on("data", hear).once("close", end);
      current.write(make());
    });
    // The daemon closes the connection after a request that is not well-formed.
    if (status === "400" || status === "431") socket.destroy();
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  socket.destroy();
}

const memory = () =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024);
const rows = [];
for (const [kind, make] of Object.entries(KINDS)) {
  const [began, logged, before, statuses] = [performance.now(), statSync(log).size, memory(), {}];
  await Promise.all(Array.from({ length: CONNECTIONS }, () => sendAll(make, Math.ceil(EACH / CONNECTIONS), statuses)));
  const seconds = (performance.now() - began) / 1000;
  const kilobytes = (statSync(log).size - logged) / 1024;
  const counts = Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(", ");
  rows.push([kind, counts, `${before} to ${memory()}`, (kilobytes / seconds).toFixed(1)]);
}
const health = await fetch(`http://127.0.0.1:${port}/healthz`);
table(["10,000 hostile", "answers by status", "RSS MB", "log kB a second"], rows);
const harmful = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(readFileSync(log, "utf8"));
console.log(`healthy: ${health.status}; control characters in the log: ${harmful}`);
child.kill();
rmSync(folder, { recursive: true, force: true });
