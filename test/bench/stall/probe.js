// Asks a daemon every few milliseconds over connections that are kept, and reports how long each answer took.
import { Agent, request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

const PAUSE_MS = 5;
const { url, token } = workerData;
const agent = new Agent({ keepAlive: true });
const headers = { "x-user-token": token };
const CALLS = {
  "/healthz": {},
  "/api/v1/ai/me": { headers },
  "/api/v1/ai/points/exchange": {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: '{"token_amount":1}',
  },
};

function timed(path, { body, ...options }) {
  return new Promise((resolve, reject) => {
    const from = performance.now();
    const call = request(url + path, { agent, ...options }, (response) => {
      response.resume();
      response.on("end", () => resolve({ status: response.statusCode, ms: performance.now() - from }));
    });
    call.on("error", reject);
    call.end(body);
  });
}

let isStopped = false;
parentPort.on("message", () => {
  isStopped = true;
});
const latencies = Object.fromEntries(Object.keys(CALLS).map((path) => [path, []]));
await Promise.all(
  Object.entries(CALLS).map(async ([path, call]) => {
    // The first calls compile the route.
    for (let n = 0; n < 20; n++) await timed(path, call);
    while (!isStopped) {
      const { status, ms } = await timed(path, call);
      if (status !== 200) throw new Error(`${path} answered ${status}`);
      latencies[path].push(ms);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }),
);
parentPort.postMessage(latencies);
