import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { prepareQuestion } from "../../src/assistant/assistant.ts";
import type { Passage } from "../../src/assistant/passage.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { NOW } from "./world-figures.ts";
import { readWorld } from "./worlds.ts";

const DATA = process.env["ANP_DATA"];
/** Numbers of articles; ANP_EVAL_ARTICLES names others, as `10000,100000`. */
const SIZES = (process.env["ANP_EVAL_ARTICLES"] ?? "200,10000").split(",").map(Number);
/** Characters of an article that is made of two. */
const HALF = 400;

interface Text {
  readonly text: string;
  readonly lang: "zh" | "en";
}

function textsOf(file: string, lang: Text["lang"]): Text[] {
  const lines = readFileSync(join(DATA!, "retrieval", file), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => ({ text: (JSON.parse(line) as { text: string }).text, lang }));
}

/** The bank's articles, and as many more as are missing, each of halves of two published passages. */
function articlesOf(size: number): Passage[] {
  const texts = [...textsOf("cmrc2018/passages.trial.jsonl", "zh"), ...textsOf("xquad/passages.en.jsonl", "en")];
  const articles = [...readWorld("bank").passages];
  for (let at = 0; articles.length < size; at++) {
    const { text, lang } = texts[at % texts.length]!;
    const other = texts[(at * 7 + Math.floor(at / texts.length)) % texts.length]!;
    const body = other.lang === lang ? text.slice(0, HALF) + other.text.slice(-HALF) : text;
    const title = `${text.slice(0, 20)} ${at}`;
    articles.push({
      id: `x${at}`,
      kind: "help",
      title,
      text: body,
      url: "https://x.example",
      lang,
      published_at: null,
    });
  }
  return articles;
}

describe.skipIf(DATA === undefined)("many articles", () => {
  it("are indexed and searched in time", () => {
    const questions = readWorld("bank").tuning.map(({ question }) => question);
    const rows = SIZES.map((size) => {
      const articles = articlesOf(size);
      const begun = performance.now();
      const index = new AnswerIndex(articles);
      const build_ms = Math.round(performance.now() - begun);
      const times = [1, 2].flatMap(() =>
        questions.map((question) => {
          const start = performance.now();
          const given = { question, history: [], research: false, refused: [], hasModel: false, now: NOW };
          prepareQuestion(given, index);
          return performance.now() - start;
        }),
      );
      const warm = times.slice(questions.length).sort((a, b) => a - b);
      const at = (share: number): string => warm[Math.floor(share * warm.length)]!.toFixed(1);
      const rss_mb = Math.round(process.memoryUsage.rss() / 1e6);
      return { articles: index.indexed().length, build_ms, p50_ms: at(0.5), p95_ms: at(0.95), rss_mb };
    });
    console.table(rows);
    expect(rows).toHaveLength(SIZES.length);
  });
});
