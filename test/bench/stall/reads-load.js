// Anonymous reads of every kind, with all sizes, languages and spans of days, over at least a minute, since some views are
// made anew each minute. BENCH_READS: how many of each kind in one go (default 1,000); BENCH_SECONDS: for how long
// (default 65); BENCH_CONNECTIONS: how many at once (default 16); BENCH_QUESTIONS: questions that users asked on each of
// the last 30 days (default 10,000).
import { Agent, request } from "node:http";
import { openDay } from "../../../dist/events/log/day-log.js";
import { openStorage } from "../../../dist/storage/open-storage.js";
import { newsOf, refresh, serveFeeds } from "./feed-server.js";
import { feed, random, words } from "./generated-news.js";

const READS = Number(process.env.BENCH_READS ?? 1000);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 65);
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 16);
const QUESTIONS = Number(process.env.BENCH_QUESTIONS ?? 10_000);
const DAY_MS = 86_400_000;
const FEEDS = 20;
const ITEMS = 100;

const lang = (n) => (n % 2 === 0 ? "zh" : "en");
const KINDS = {
  "news/topics": (n) => `/api/v1/news/topics?limit=${1 + (n % 50)}&lang=${lang(n)}`,
  "news/hot": (n) => `/api/v1/news/hot?limit=${1 + (n % 100)}&hours=${1 + (n % 720)}`,
  "hot-topics": (n) => `/api/v1/ai/hot-topics?limit=${1 + (n % 50)}&days=${1 + (n % 30)}`,
  "recommended-questions": (n) =>
    `/api/v1/ai/recommended-questions?limit=${1 + (n % 20)}&lang=${lang(n)}&scene=${["home", "wallet", `s${n}`][n % 3]}`,
  pages: (n) => ["/readyz", "/openapi.json", "/docs"][n % 3],
};

/** Thirty days of questions: each day some that many asked, and many that few did. */
async function seedQuestions(url) {
  const known = Array.from({ length: QUESTIONS }, (_, n) => words(6, lang(n)));
  const storage = await openStorage(url);
  for (let day = 0; day < 30; day++) {
    const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS - day * DAY_MS;
    const span = day === 0 ? Date.now() - midnight : DAY_MS;
    const log = openDay(storage, new Date(midnight).toISOString().slice(0, 10));
    const events = Array.from({ length: QUESTIONS }, (_, n) => ({
      created_at: new Date(midnight + Math.floor((n * span) / QUESTIONS)).toISOString(),
      user_id: `u${Math.floor(random() * 1000)}`,
      event_type: "question_asked",
      event_payload: { question: known[Math.floor(QUESTIONS ** random()) - 1] ?? known[0], lang: lang(n) },
    }));
    for (let at = 0; at < events.length; at += 500)
      await log.append(at / 500, { batch_id: `b${at}`, events: events.slice(at, at + 500) });
  }
  await storage.close();
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

function read(url) {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    });
    call.on("error", reject).end();
  });
}

export async function open({ storage, token }) {
  await seedQuestions(storage);
  const of = (n) => ({ items: ITEMS, every_ms: (30 * DAY_MS) / ITEMS, lang: lang(n) });
  const bodies = Array.from({ length: FEEDS }, (_, n) => Buffer.from(feed(n, of(n))));
  const { urls, close } = await serveFeeds(bodies.map((body) => () => body));
  return {
    config: newsOf(urls),
    before: (daemon) => refresh(daemon, token),
    async run({ url }) {
      const seconds = {};
      const until = performance.now() + SECONDS * 1000;
      let goes = 0;
      do {
        for (const [kind, path] of Object.entries(KINDS)) {
          const from = performance.now();
          let next = 0;
          const reader = async () => {
            while (next < READS) {
              const at = path(next++);
              const status = await read(url + at);
              if (status !== 200) throw new Error(`${at} answered ${status}`);
            }
          };
          await Promise.all(Array.from({ length: CONNECTIONS }, reader));
          seconds[kind] = Math.max(seconds[kind] ?? 0, (performance.now() - from) / 1000);
        }
        goes += 1;
      } while (performance.now() < until);
      const longest = Object.entries(seconds).map(([kind, most]) => `${kind} ${most.toFixed(2)} s`);
      return `${goes} times ${READS} of each kind, at most: ${longest.join(", ")}`;
    },
    async close() {
      agent.destroy();
      await close();
    },
  };
}
