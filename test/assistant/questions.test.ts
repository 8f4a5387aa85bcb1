import { describe, expect, it } from "vitest";
import { recommend } from "../../src/assistant/recommended-questions.ts";

const LIST = [
  { scene: "home", order_index: 2, zh: "家二", en: "home two" },
  { scene: "home", order_index: 1, zh: "家一", en: "home one" },
  { scene: "trade", order_index: 1, zh: "交易", en: "trade" },
];

describe("recommended questions", () => {
  it("are those of the scene, in their order, as many as asked for", () => {
    expect(recommend(LIST, { scene: "home", lang: "zh", limit: 6 })).toEqual({
      questions: [
        { content: "家一", order_index: 1 },
        { content: "家二", order_index: 2 },
      ],
    });
    expect(recommend(LIST, { scene: "home", lang: "zh", limit: 1 }).questions).toHaveLength(1);
  });

  it("are those of home when the scene is unknown", () => {
    expect(recommend(LIST, { scene: "moon", lang: "en", limit: 6 }).questions[0]?.content).toBe("home one");
  });

  it.each([
    ["zh", "交易"],
    ["zh-TW", "交易"],
    ["zh_Hant", "交易"],
    ["en-GB", "trade"],
    ["fr", "trade"],
    ["zhuang", "trade"],
  ])("serve %s in the nearest language", (lang, content) => {
    expect(recommend(LIST, { scene: "trade", lang, limit: 6 }).questions[0]?.content).toBe(content);
  });

  it("are none when there is no list", () => {
    expect(recommend([], { scene: "home", lang: "zh", limit: 6 })).toEqual({ questions: [] });
  });
});
