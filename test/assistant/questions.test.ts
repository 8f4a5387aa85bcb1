import { describe, expect, it } from "vitest";
import { fillUp, recommend } from "../../src/assistant/recommended-questions.ts";

const LIST = [
  { scene: "home", order_index: 2, zh: "家二", en: "home two" },
  { scene: "home", order_index: 1, zh: "家一", en: "home one" },
  { scene: "trade", order_index: 1, zh: "交易", en: "trade" },
];

describe("recommended questions", () => {
  it("are those of the scene, in their order, as many as asked for", () => {
    expect(recommend(LIST, { scene: "home", lang: "zh", limit: 6 })).toEqual({
      scene: "home",
      lang: "zh",
      questions: [
        { content: "家一", order_index: 1 },
        { content: "家二", order_index: 2 },
      ],
    });
    expect(recommend(LIST, { scene: "home", lang: "zh", limit: 1 }).questions).toHaveLength(1);
  });

  it("are those of home when the scene is unknown", () => {
    const { scene, questions } = recommend(LIST, { scene: "moon", lang: "en", limit: 6 });
    expect([scene, questions[0]?.content]).toEqual(["home", "home one"]);
  });

  it.each([
    ["zh", "交易", "zh"],
    ["zh-TW", "交易", "zh-TW"],
    ["zh_Hant", "交易", "zh_Hant"],
    ["en-GB", "trade", "en-GB"],
    ["fr", "trade", "en"],
    ["zhuang", "trade", "en"],
  ])("serve %s in the nearest language, and name it", (asked, content, served) => {
    const { lang, questions } = recommend(LIST, { scene: "trade", lang: asked, limit: 6 });
    expect([questions[0]?.content, lang]).toEqual([content, served]);
  });

  it("are filled up behind the last, in the language, none twice", async () => {
    const zh = recommend(LIST, { scene: "trade", lang: "zh-CN", limit: 4 });
    const others = ["交易", "ETF 为何流入？", "Why is BTC up?", "為何流入？", "ETF 為何流入？", "手续费多少？"];
    expect((await fillUp(zh, others, 3)).questions).toEqual([
      { content: "交易", order_index: 1 },
      { content: "ETF 为何流入？", order_index: 2 },
      { content: "為何流入？", order_index: 3 },
    ]);
    const fr = recommend(LIST, { scene: "home", lang: "fr", limit: 6 });
    expect((await fillUp(fr, others, 6)).questions.map(({ content }) => content)).toEqual([
      "home one",
      "home two",
      "Why is BTC up?",
    ]);
  });

  it("are none when there is no list", () => {
    expect(recommend([], { scene: "home", lang: "zh", limit: 6 })).toEqual({
      scene: "home",
      lang: "zh",
      questions: [],
    });
  });
});
