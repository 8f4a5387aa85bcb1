import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { createAssistant } from "../../src/assistant/assistant.ts";
import type { Passage, PassageIndex } from "../../src/assistant/assistant.ts";
import type { Language } from "../../src/contract/schemas/shared-fields.ts";
import { toQuery } from "../../src/assistant/retrieval/query.ts";
import { rankSentences } from "../../src/assistant/retrieval/sentence-ranking.ts";
import { silentLogger } from "../../src/runtime/logger.ts";

const DATA = process.env["ANP_DATA"];

interface Question {
  readonly question: string;
  readonly gold_passage: string;
  readonly answers: readonly string[];
}

const SETS: readonly { name: string; lang: Language; passages: string; queries: string }[] = [
  { name: "CMRC 2018", lang: "zh", passages: "cmrc2018/passages.trial.jsonl", queries: "cmrc2018/queries.trial.jsonl" },
  { name: "XQuAD en", lang: "en", passages: "xquad/passages.en.jsonl", queries: "xquad/queries.en.jsonl" },
  { name: "XQuAD zh", lang: "zh", passages: "xquad/passages.zh.jsonl", queries: "xquad/queries.zh.jsonl" },
];

function rowsOf<T>(path: string): T[] {
  const lines = readFileSync(join(DATA ?? "", "retrieval", path), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as T);
}

function passagesOf(path: string, lang: Language): Passage[] {
  return rowsOf<{ id: string; title?: string; text: string }>(path).map(({ id, title = "", text }) => ({
    id,
    kind: "help",
    title,
    text,
    url: "",
    lang,
    published_at: null,
  }));
}

function share(count: number, of: number): string {
  return (count / of).toFixed(3);
}

/** The index without one passage: what it answered is then unanswerable. */
function without(index: PassageIndex, id: string): PassageIndex {
  return {
    ...index,
    search: (query, limit, accept) => index.search(query, limit, (passage) => passage.id !== id && accept(passage)),
  };
}

describe.skipIf(DATA === undefined || !existsSync(join(DATA, "retrieval")))(
  "retrieval and grounding on published sets (skipped without ANP_DATA)",
  () => {
    const assistant = createAssistant({ logger: silentLogger });

    it("finds the passage", () => {
      const table: Record<string, object> = {};
      for (const { name, lang, passages, queries } of SETS) {
        const index = assistant.index(passagesOf(passages, lang));
        const questions = rowsOf<Question>(queries);
        const ranks = questions.map(({ question, gold_passage }) => {
          const hits = index.search(index.correctSpelling(toQuery(question)), 50, () => true);
          return hits.findIndex(({ passage }) => passage.id === gold_passage) + 1;
        });
        table[name] = {
          passages: index.passages.length,
          questions: questions.length,
          "recall@1": share(ranks.filter((rank) => rank === 1).length, ranks.length),
          "recall@5": share(ranks.filter((rank) => rank > 0 && rank <= 5).length, ranks.length),
          MRR: share(
            ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0),
            ranks.length,
          ),
        };
      }
      console.table(table);
    });

    it("answers from it, and refuses without it", async () => {
      const table: Record<string, object> = {};
      for (const { name, lang, passages, queries } of SETS) {
        const index = assistant.index(passagesOf(passages, lang));
        const questions = rowsOf<Question>(queries);
        const routing = { route: "help", sub_intent: "general", lang, confidence: 0.5, research: false } as const;
        let [grounded, right, best, refused, length] = [0, 0, 0, 0, 0];
        for (const { question, gold_passage, answers } of questions) {
          const request = { question, routing, history: [], wide: false, now: 0 };
          const answer = await assistant.answer(request, index);
          const holds = (text: string): boolean => answers.some((gold) => text.includes(gold));
          if (answer.grounded) {
            grounded++;
            length += answer.text.length;
            if (holds(answer.text)) right++;
          }
          const query = index.correctSpelling(toQuery(question));
          const [top] = rankSentences(
            query,
            index.search(query, 6, () => true),
            index,
          );
          if (top !== undefined && holds(top.sentence.text)) best++;
          if (!(await assistant.answer(request, without(index, gold_passage))).grounded) refused++;
        }
        table[name] = {
          "best sentence holds the answer": share(best, questions.length),
          "answered when answerable": share(grounded, questions.length),
          "answer holds it, of all": share(right, questions.length),
          "answer holds it, of answered": share(right, grounded),
          "refused when unanswerable": share(refused, questions.length),
          "mean characters": Math.round(length / grounded),
        };
      }
      console.table(table);
    });
  },
);

describe("indexing", () => {
  it("is fast enough for every snapshot", () => {
    const assistant = createAssistant({ logger: silentLogger });
    const words = "提现手续费按币种和网络收取固定数量与提现金额无关比特币价格突破美元为七周来首次合约未平仓量升至";
    const make = (kind: Passage["kind"], count: number, size: number): Passage[] =>
      Array.from({ length: count }, (_, at): Passage => {
        const text = Array.from({ length: size }, (__, i) => words[(at * 7 + i * (1 + (at % 5))) % words.length]).join(
          "",
        );
        return { id: `${kind}${at}`, kind, title: text.slice(0, 20), text, url: "", lang: "zh", published_at: null };
      });
    const passages = [...make("help", 200, 600), ...make("notice", 40, 300), ...make("news", 2000, 200)];
    const started = performance.now();
    assistant.index(passages);
    console.table([{ passages: passages.length, "index ms": Math.round(performance.now() - started) }]);
  });
});
