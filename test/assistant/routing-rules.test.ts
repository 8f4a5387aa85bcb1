import { describe, expect, it } from "vitest";
import {
  conceptsIn,
  isInDomain,
  isElliptical,
  isKind,
  withoutCourtesy,
  withoutResearch,
} from "../../src/assistant/routing/router.ts";

describe("advice", () => {
  it.each([
    "我是不是该加仓 SOL",
    "BTC 会涨到多少",
    "现在值得买吗",
    "推荐几个币",
    "買什麼幣好，哪個幣有潛力",
    "Should I really sell now?",
    "is this a good time to buy",
    "will bitcoin hit 200k",
    "price prediction for XRP",
  ])("is asked for by %s", (question) => {
    expect(isKind("advice", question)).toBe(true);
  });

  it.each([
    "怎么买币",
    "助手为什么不提供投资建议",
    "手续费会调整吗",
    "can I buy crypto with a card",
    "when will withdrawals resume",
    "should I enter a memo",
    "why did bitcoin drop",
  ])("is not asked for by %s", (question) => {
    expect(isKind("advice", question)).toBe(false);
  });
});

describe("a question that leans on the one before", () => {
  it.each(["那手续费呢？", "and for USDT?", "what about ETH", "为什么", "why?", "它多久到账"])("%s", (question) => {
    expect(isElliptical(question)).toBe(true);
  });

  it.each([
    "提现手续费是多少",
    "What is the withdrawal fee?",
    "why do I need a customs form?",
    "为什么12月送得慢",
    "and then I would like to know how a margin loan is repaid",
  ])("is not %s", (question) => {
    expect(isElliptical(question)).toBe(false);
  });
});

describe("what surrounds a question", () => {
  it.each([
    ["你好，请问怎么提现", "怎么提现"],
    ["Hello! How do I withdraw", "how do i withdraw"],
    ["你好", "你好"],
    ["hello there", "there"],
  ])("is taken off %s", (question, core) => {
    expect(withoutCourtesy(question)).toBe(core);
  });

  it.each([
    ["深度分析一下提现", "提现"],
    ["帮我写一份以太坊升级的研究报告", "以太坊升级的"],
    ["research the tidepool exploit", "tidepool exploit"],
    ["提现", "提现"],
    ["深度研究", "深度研究"],
  ])("as a wish for research is taken off %s", (question, core) => {
    expect(withoutResearch(question)).toBe(core);
  });
});

describe("the domain's concepts", () => {
  it.each([
    ["提币手续费", ["fee", "withdraw"]],
    ["withdrawel commision", ["fee", "referral", "withdraw"]],
    ["VIP2", ["vip"]],
    ["two-factor code", ["code", "two_factor"]],
    ["BTC", ["asset"]],
  ])("of %s", (text, concepts) => {
    expect([...conceptsIn(text)].sort()).toEqual(concepts);
  });

  it("are not named by everyday questions", () => {
    expect(isInDomain("how do I bake bread today")).toBe(false);
    expect(isInDomain("怎么修自行车")).toBe(false);
    expect(isInDomain("怎么提现")).toBe(true);
  });
});
