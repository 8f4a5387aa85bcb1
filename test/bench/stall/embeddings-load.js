// The vectors of many articles, made while questions are asked, by a daemon that goes on where one before it was killed;
// then one changed article. BENCH_ARTICLES: how many articles (default 10,000); BENCH_DIMENSIONS: of the vectors (default
// 1024). The endpoint is in the process of the bench, and hashes words.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { ask } from "./chat.js";
import { newsOf, refresh, serveFeeds } from "./feed-server.js";
import { words } from "./generated-news.js";

const COUNT = Number(process.env.BENCH_ARTICLES ?? 10_000);
const DIMENSIONS = Number(process.env.BENCH_DIMENSIONS ?? 1024);
/** How many vectors the daemon before makes until it is killed, as a share of all. */
const BEFORE = 0.3;
const BIN = process.env.BENCH_BIN ?? join(import.meta.dirname, "../../../bin/anp.js");

function vectorOf(text) {
  const vector = Array(DIMENSIONS).fill(0.001234);
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    let hash = 2166136261;
    for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 16777619);
    vector[(hash >>> 0) % DIMENSIONS] += 0.123456789;
  }
  return vector;
}

/** An endpoint that counts what it is asked for, and answers only while it is open. */
async function serveVectors() {
  const asked = { calls: 0, texts: 0, questions: 0, isOpen: true, onTexts: () => undefined };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { input } = JSON.parse(body);
    if (!asked.isOpen) return response.writeHead(503).end();
    if (input[0].includes("\n")) {
      asked.calls += 1;
      asked.texts += input.length;
      asked.onTexts();
    } else asked.questions += 1;
    const data = input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) }));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "list", data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { base_url: `http://127.0.0.1:${server.address().port}/v1`, asked, close };
}

async function waitUntilAllHaveVectors({ url }) {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text();
    if (text.includes(`anp_embedding_passages ${COUNT}\n`) && text.includes("anp_embedding_passages_waiting 0\n"))
      return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

export async function open({ folder, storage, token }) {
  const articles = Array.from({ length: COUNT }, (_, n) => ({
    id: `a${n}`,
    title: `How ${words(5)} ${n}`,
    body: Array.from({ length: 15 }, () => `The ${words(12)}.`).join(" "),
    category: `c${n % 20}`,
    url: `https://help.example/${n}`,
  }));
  const text = () => Buffer.from(JSON.stringify({ articles }));
  let body = text();
  const feeds = await serveFeeds([() => body]);
  const vectors = await serveVectors();
  const { asked } = vectors;
  const config = {
    ...newsOf([], {
      help: { en: feeds.urls[0] },
      allow_private: true,
      max_bytes: 256 * 1024 * 1024,
      min_interval_ms: 0,
    }),
    embeddings: { base_url: vectors.base_url, model: "bench" },
  };
  await writeFile(join(folder, "before.json"), JSON.stringify(config));
  const child = spawn(
    process.execPath,
    [BIN, "serve", "--port", "0", "--config", join(folder, "before.json"), "--storage", storage],
    { stdio: "ignore" },
  );
  process.once("exit", () => child.kill("SIGKILL"));
  await new Promise((resolve) => (asked.onTexts = () => asked.texts >= BEFORE * COUNT && resolve()));
  child.kill("SIGKILL");
  await once(child, "exit");
  const first = asked.texts;
  asked.isOpen = false;
  return {
    config,
    async before(daemon) {
      await refresh(daemon, token);
      await ask(daemon.url, token, `How ${words(5)}?`);
    },
    async run(daemon) {
      asked.isOpen = true;
      const from = performance.now();
      let isOver = false;
      const all = waitUntilAllHaveVectors(daemon).then(() => (isOver = true));
      const took = [];
      for (let n = 0; !isOver; n++) {
        const began = performance.now();
        const { status } = await ask(daemon.url, token, `How ${words(4)} ${n}?`);
        if (status !== 200) throw new Error(`a question ended with ${status}`);
        took.push(performance.now() - began);
      }
      await all;
      const seconds = ((performance.now() - from) / 1000).toFixed(1);
      const { calls, texts, questions } = asked;
      Object.assign(articles[5], { title: "Zanzibar accounts", body: "A Zanzibar account has a limit." });
      body = text();
      const changed = new Promise((resolve) => (asked.onTexts = resolve));
      await refresh(daemon, token);
      await changed;
      await waitUntilAllHaveVectors(daemon);
      took.sort((a, b) => a - b);
      const [p50, worst] = [took[Math.floor(took.length / 2)], took.at(-1)].map((ms) => Math.round(ms));
      return (
        `${COUNT} articles, ${first} texts sent before the kill; ${texts} texts in ${calls} calls in all, the rest in ${seconds} s; ` +
        `${took.length} questions (${questions} embedded) p50 ${p50} ms, longest ${worst} ms; ${asked.texts - texts} after a change`
      );
    },
    async close() {
      await Promise.all([feeds.close(), vectors.close()]);
    },
  };
}
