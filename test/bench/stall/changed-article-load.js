// One changed article among many in the help center, again and again, while questions are asked. BENCH_ARTICLES: how many
// articles (default 10,000); BENCH_CHANGES: how many changes (default 5).
import { ask } from "./chat.js";
import { newsOf, refresh, serveFeeds } from "./feed-server.js";
import { words } from "./generated-news.js";

const COUNT = Number(process.env.BENCH_ARTICLES ?? 10_000);
const CHANGES = Number(process.env.BENCH_CHANGES ?? 5);
/** Longest wait for an article to be quoted, ms. */
const LONGEST_MS = 60_000;
const QUESTION = "What is the daily withdrawal limit of a Zanzibar account?";

export async function open({ token }) {
  const articles = Array.from({ length: COUNT }, (_, n) => ({
    id: `a${n}`,
    title: `How ${words(5)}`,
    body: Array.from({ length: 15 }, () => `The ${words(12)}.`).join(" "),
    category: `c${n % 20}`,
    url: `https://help.example/${n}`,
  }));
  const changing = articles[Math.floor(COUNT / 2)];
  const change = (n) =>
    Object.assign(changing, {
      title: "Withdrawal limit of a Zanzibar account",
      body: `The daily withdrawal limit of a Zanzibar account is ${1000 + n} USDT.`,
    });
  change(0);
  const text = () => Buffer.from(JSON.stringify({ articles }));
  let body = text();
  const { urls, close } = await serveFeeds([() => body]);
  const news = { help: { en: urls[0] }, allow_private: true, max_bytes: 256 * 1024 * 1024, min_interval_ms: 0 };
  /** Asks until the change is quoted; returns how many questions that took, and the longest, in ms. */
  async function quoted({ url }, n) {
    let longest = 0;
    const from = performance.now();
    for (let asked = 1; ; asked++) {
      const began = performance.now();
      const { status, data } = await ask(url, token, QUESTION);
      if (status !== 200) throw new Error(`a question ended with ${status}`);
      longest = Math.max(longest, performance.now() - began);
      if (data.answer.includes(String(1000 + n))) return { asked, longest };
      if (began - from > LONGEST_MS) throw new Error(`a change is not quoted: ${data.answer}`);
    }
  }
  return {
    config: newsOf([], news),
    async before(daemon) {
      await refresh(daemon, token);
      await quoted(daemon, 0);
    },
    async run(daemon) {
      const seconds = [];
      const questions = [];
      for (let n = 1; n <= CHANGES; n++) {
        change(n);
        body = text();
        const from = performance.now();
        const refreshed = refresh(daemon, token);
        questions.push(await quoted(daemon, n));
        seconds.push(((performance.now() - from) / 1000).toFixed(1));
        await refreshed;
      }
      const asked = questions.reduce((sum, one) => sum + one.asked, 0);
      const longest = Math.round(Math.max(...questions.map((one) => one.longest)));
      return `${COUNT} articles; quoted ${seconds.join(", ")} s after a change; ${asked} questions, the longest took ${longest} ms`;
    },
    close,
  };
}
