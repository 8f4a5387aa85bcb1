import { describe, it } from "vitest";
import type { Passage } from "../../src/assistant/passage.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { findEvidence } from "../../src/assistant/retrieval/find-evidence.ts";
import { decideOutcome } from "../../src/assistant/answering/decide-outcome.ts";
import type { Language } from "../../src/contract/schemas/shared-fields.ts";
import { CROSS, HAS_PUBLISHED, passagesOf, rowsOf, SETS, type PublishedQuestion } from "./published.ts";

function mean(values: readonly number[]): string {
  return (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(3);
}

/** Place of the right passage, from 1; 0 when it is not found. */
function placeOf(index: AnswerIndex, { question, gold_passage }: PublishedQuestion, lang: Language): number {
  const { ranked } = findEvidence(index, { question, lang, now: 0 });
  return ranked.findIndex(({ found }) => found.passage.id === gold_passage) + 1;
}

/** Estimated probability that the best evidence answers, with and without the right passage, and the text quoted with it. */
function judge(index: AnswerIndex, { question, gold_passage }: PublishedQuestion, lang: Language) {
  const routing = { route: "help", sub_intent: "general", lang, confidence: 0.5, research: false } as const;
  const decide = (accept: (passage: Passage) => boolean) => {
    const findings = findEvidence(index, { question, lang, now: 0, accept });
    const { probability } = decideOutcome(findings, { question, routing });
    return { probability, text: findings.quoted.map(({ window }) => window.text).join("\n") };
  };
  const answerable = decide(() => true);
  return { ...answerable, without: decide(({ id }) => id !== gold_passage).probability };
}

describe.skipIf(!HAS_PUBLISHED)("retrieval and grounding on published sets (skipped without ANP_DATA)", () => {
  it("finds the passage", () => {
    const table: Record<string, object> = {};
    for (const { name, lang, passages, queries } of [...SETS, ...CROSS]) {
      const index = new AnswerIndex(passagesOf(passages));
      const places = rowsOf<PublishedQuestion>(queries).map((question) => placeOf(index, question, lang));
      table[name] = {
        questions: places.length,
        "recall@1": mean(places.map((place) => (place === 1 ? 1 : 0))),
        "recall@5": mean(places.map((place) => (place > 0 && place <= 5 ? 1 : 0))),
        "nDCG@10": mean(places.map((place) => (place > 0 && place <= 10 ? 1 / Math.log2(place + 1) : 0))),
      };
    }
    console.table(table);
  });

  it("tells answerable questions from others", () => {
    const table: Record<string, object> = {};
    for (const { name, lang, passages, queries } of SETS) {
      const index = new AnswerIndex(passagesOf(passages));
      const questions = rowsOf<PublishedQuestion>(queries);
      const judged = questions.map((question) => judge(index, question, lang));
      const falsely = judged.map(({ without }) => without).sort((a, b) => b - a);
      const least = falsely[Math.floor(falsely.length * 0.05)]!;
      const answered = judged.filter(({ probability }) => probability > least);
      const holds = judged.filter(({ text }, at) => questions[at]!.answers.some((answer) => text.includes(answer)));
      table[name] = {
        "quotation holds the answer": (holds.length / judged.length).toFixed(3),
        "answered at 5% false": (answered.length / judged.length).toFixed(3),
      };
    }
    console.table(table);
  });
});

describe("indexing", () => {
  it("takes a time that allows it at a start", () => {
    const words = "提现手续费按币种和网络收取固定数量与提现金额无关比特币价格突破美元为七周来首次合约未平仓量升至";
    const make = (kind: Passage["kind"], count: number, size: number): Passage[] =>
      Array.from({ length: count }, (_, at): Passage => {
        const letters = Array.from({ length: size }, (__, i) => words[(at * 7 + i * (1 + (at % 5))) % words.length]);
        const text = letters.join("");
        return { id: `${kind}${at}`, kind, title: text.slice(0, 20), text, url: "", lang: "zh", published_at: null };
      });
    const passages = [...make("help", 200, 600), ...make("notice", 40, 300), ...make("news", 2000, 200)];
    const started = performance.now();
    void new AnswerIndex(passages);
    console.table([{ passages: passages.length, "index ms": Math.round(performance.now() - started) }]);
  });
});
