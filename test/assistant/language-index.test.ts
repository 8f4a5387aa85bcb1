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
    expect(index.documentFrequency("")).toBe(0);
    for (const [number, text] of texts.entries()) index.remove(number, folded(text, text));
    expect(index.terms()).toEqual([]);
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
