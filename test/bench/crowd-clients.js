// The crowd of `crowd.js`: sockets that stall, that are idle, and that ask one question after the other.
import { connect } from "node:net";

const QUESTION = JSON.stringify({ question: "What are the maker and taker fees?" });
const reports = { accepted: [], refused: [], others: {} };

process.on("message", async ({ url, tokens, stalled, idle, active, report }) => {
  if (report) {
    process.send({ type: "report", ...reports });
    Object.assign(reports, { accepted: [], refused: [], others: {} });
    return;
  }
  const port = Number(new URL(url).port);
  const token = (n) => tokens[1 + (n % (tokens.length - 1))];
  await many(stalled, (n) => stall(port, token(n)));
  await many(idle, () => beIdle(port));
  await many(active, (n) => keepAsking(port, token(n)));
  process.send({ type: "ready" });
});

/** Opens so many connections, some at a time: the queue of a listening socket is bounded. */
async function many(count = 0, open) {
  for (let n = 0; n < count; n += 100) {
    for (let at = n; at < Math.min(count, n + 100); at++) open(at);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const head = (token, length) =>
  `POST /api/v1/ai/chat/send HTTP/1.1\r\nHost: anp\r\nContent-Type: application/json\r\nX-User-Token: ${token}\r\nContent-Length: ${length}\r\n\r\n`;

/** Sends half of a body, and does so again when it is closed. */
function stall(port, token) {
  const socket = connect(port, "127.0.0.1", () => socket.write(`${head(token, 4000)}{"question":"`));
  socket.on("error", () => undefined).resume();
  socket.once("close", () => setTimeout(() => stall(port, token), 100));
}

function beIdle(port) {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined).resume();
  socket.once("close", () => setTimeout(() => beIdle(port), 100));
}

/** Asks, and asks again when it is answered; a refused client waits as long as it is told to, with BENCH_IMPATIENT a
 * second. */
function keepAsking(port, token) {
  const request = `${head(token, Buffer.byteLength(QUESTION))}${QUESTION}`;
  const socket = connect(port, "127.0.0.1");
  let began = 0;
  let text = "";
  const ask = () => {
    began = performance.now();
    text = "";
    socket.write(request);
  };
  socket.on("connect", ask).on("error", () => undefined);
  socket.on("data", (chunk) => {
    text += chunk;
    // Every response ends with the request id.
    if (!/"request_id":"[^"]+"\}(?:\r\n0\r\n\r\n)?$/.test(text)) return;
    const ms = performance.now() - began;
    const status = text.slice(9, 12);
    if (status === "200" || status === "402") reports.accepted.push(ms);
    else if (status === "429") reports.refused.push(ms);
    else reports.others[status] = (reports.others[status] ?? 0) + 1;
    const wait = process.env.BENCH_IMPATIENT ? 1 : Number(/retry-after: (\d+)/i.exec(text)?.[1]);
    if (status === "429") setTimeout(() => socket.writable && ask(), wait * 1000);
    else ask();
  });
  socket.once("close", () => setTimeout(() => keepAsking(port, token), 100));
}
