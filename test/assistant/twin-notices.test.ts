import { describe, expect, it } from "vitest";
import { prepareQuestion } from "../../src/assistant/assistant.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { NOW } from "./exchange.ts";
import { passage } from "./passages.ts";

describe("a notice that is published in each language with an id of its own", () => {
  const notice = (id: string, lang: string, title: string, text: string, published_at: string) =>
    passage({ id, kind: "notice", lang, title, text, published_at });
  const TEXT = { en: "Tracking is down because of a fault.", zh: "由于故障，查询系统暂停服务。" };
  const MORE = { en: "Lockers in Graz are out of order.", zh: "格拉茨的快递柜暂停使用。" };
  const notices = new AnswerIndex([
    notice("101", "en", "Tracking is down", TEXT.en, "2026-11-19T08:00:00Z"),
    notice("102", "zh", "查询系统暂停服务", TEXT.zh, "2026-11-19T08:10:00Z"),
    notice("103", "en", "Lockers in Graz are out of order", MORE.en, "2026-11-18T08:00:00Z"),
    notice("104", "zh", "格拉茨快递柜暂停使用", MORE.zh, "2026-11-18T08:00:00Z"),
  ]);

  it.each([
    ["tracking 查询", ["102"]],
    ["lockers in Graz 快递柜", ["104"]],
    ["tracking and lockers in Graz: problems?", ["101", "103"]],
  ])("is shown once: %s", (question, ids) => {
    const given = { question, history: [], research: false, refused: [], hasModel: false, now: NOW };
    const { answer } = prepareQuestion(given, notices);
    expect(answer?.sources.map(({ id }) => id).toSorted()).toEqual(ids);
  });
});
