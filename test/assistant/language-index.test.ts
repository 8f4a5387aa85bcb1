import { describe, expect, it } from "vitest";
import { LanguageIndex, searchTerms } from "../../src/assistant/retrieval/language-index.ts";

const folded = (title: string, body = ""): { title: string; body: string } => ({ title, body });

describe("the index of one language", () => {
  it("reads characters, pairs of neighbours and stems, in order and repeated", () => {
    expect(searchTerms("Closing 账户账户")).toEqual(["close", "账", "账户", "户", "户账", "账", "账户", "户"]);
    expect(searchTerms("𠮷野家 〇一")).toEqual(["𠮷", "𠮷野", "野", "野家", "家", "〇", "〇一", "一"]);
  });

  it("finds each of a document's terms, and none of them once it is removed", () => {
    const texts = ["龥一 一丁 usdt", "𠮷野家 go to", "㐀㐁 提现 withdraw", "〇一", "10"];
    const index = new LanguageIndex();
    for (const [number, text] of texts.entries()) index.add(number, folded(text, text));
    for (const term of texts.flatMap(searchTerms)) expect(index.documentFrequency(term), term).toBeGreaterThan(0);
    expect(new Set(index.terms())).toEqual(new Set(texts.flatMap(searchTerms)));
    expect(index.documentFrequency("一")).toBe(2);
    for (const absent of ["", "丁一", "提一", "𠮷家"]) expect(index.documentFrequency(absent), absent).toBe(0);
    for (const [number, text] of texts.entries()) index.remove(number, folded(text, text));
    expect(index.terms()).toEqual([]);
  });

  it("scores for a query alone, also when it has grown", () => {
    const index = new LanguageIndex();
    const scoresOf = (term: string): number[] => {
      const scores = index.score([{ weight: 1, alternatives: [{ terms: [term], weight: 1 }] }]);
      return [scores.of(0), scores.of(1), scores.of(2000), scores.highest()];
    };
    for (const [number, text] of ["提现 fee", "充值 fee"].entries()) index.add(number, folded("", text));
    expect(scoresOf("fee").filter(Boolean)).toHaveLength(3);
    expect(scoresOf("提现").filter(Boolean)).toHaveLength(2);
    expect(scoresOf("转账")).toEqual([0, 0, 0, 0]);
    for (let number = 2; number <= 2000; number++) index.add(number, folded("", "转账"));
    expect(scoresOf("充值").map(Boolean)).toEqual([false, true, false, true]);
    expect(scoresOf("转账").map(Boolean)).toEqual([false, false, true, true]);
  });

  it("counts what a title says more than what a body says, and both together most", () => {
    const index = new LanguageIndex();
    for (const [number, [title, body]] of [
      ["fee", "rate"],
      ["rate", "fee"],
      ["fee", "fee"],
    ].entries())
      index.add(number, folded(title!, body));
    const scores = index.score([{ weight: 1, alternatives: [{ terms: ["fee"], weight: 1 }] }]);
    expect(scores.of(0)).toBeGreaterThan(scores.of(1));
    expect(scores.of(2)).toBeGreaterThan(scores.of(0));
  });

  it.each(["提现", "提", "𠮷野", "〇一", "to"])("scores the document that says a term above the others: %s", (term) => {
    const index = new LanguageIndex();
    for (const [number, text] of ["提现 𠮷野 〇一 to", "充值", "account"].entries())
      index.add(number, folded("", text));
    const scores = index.score([{ weight: 1, alternatives: [{ terms: [term], weight: 1 }] }]);
    expect(scores.of(0)).toBeGreaterThan(0);
    expect([scores.of(1), scores.of(2)]).toEqual([0, 0]);
  });
});
