import { describe, expect, it } from "vitest";
import * as dictionary from "../../src/language/dictionary/dictionary.ts";
import { stem } from "../../src/language/tokenize.ts";

describe("the Chinese-English dictionary", () => {
  it("knows words, their readings and translations", () => {
    expect(dictionary.toEnglish("提款")).not.toEqual([]);
    expect(dictionary.toEnglish("提款x")).toEqual([]);
    expect(dictionary.readingsOf("充值")).toEqual(["chongzhi"]);
    expect(new Map(dictionary.toEnglish("银行卡")).get("bank")).toBe(0.5);
    expect(dictionary.toEnglish("提")[0]![1]).toBeGreaterThan(0);
  });

  it("finds Chinese words for an English stem, best first", () => {
    const words = dictionary.toChinese("umbrella");
    expect(words[0]).toEqual(["伞", 1]);
    expect(words.map(([, weight]) => weight)).toEqual(words.map(([, weight]) => weight).sort((a, b) => b - a));
    expect(dictionary.toChinese("xyzzy")).toEqual([]);
  });

  it.each([
    ["topology", "拓扑"],
    ["ideology", "意识形态"],
    ["urology", "泌尿外科"],
  ])("finds %s by the stem that a question has", (word, chinese) => {
    expect(dictionary.toChinese(stem(word))[0]).toEqual([chinese, 1]);
    expect(dictionary.toEnglish(chinese)).toContainEqual([stem(word), 1]);
  });

  it("finds its first and its last word", () => {
    expect(dictionary.readingsOf("一")).not.toEqual([]);
    expect(dictionary.toChinese("zoo").length).toBeGreaterThan(0);
  });

  it("splits a run into words", () => {
    expect(dictionary.segment("我的银行卡被盗了怎么办")).toEqual(["我", "的", "银行卡", "被", "盗", "了", "怎么办"]);
    expect(dictionary.segment("")).toEqual([]);
  });
});

describe("homophones", () => {
  it("are words of known characters with a like sound, tones and similar sounds apart", () => {
    const homophones = dictionary.createHomophones();
    for (const character of "地址充值") homophones.add(character);
    expect([...homophones.pairsLike("地只")]).toEqual(["地址", "地值"]);
    expect([...homophones.pairsLike("重置")]).toContain("充值");
  });
});
