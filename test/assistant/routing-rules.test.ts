import { describe, expect, it } from "vitest";
import {
  conceptsIn,
  isInDomain,
  isElliptical,
  isKind,
  newsSubject,
  routeQuestion,
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
    "which guide would you copy if it was your money",
    "got 560 left this month, smart to put it all in the 100k trial?",
    "should I put it all in the copy trading pool",
    "recommend me a good trader to copy",
    "给我推荐个稳的领队呗",
    "跟哪个领队比较赚",
    "剩下的钱全投进去合适吗",
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
    "how do I copy a trader",
    "推荐好友有什么奖励",
    "如何选择带单交易员",
    "can I recommend a friend",
  ])("is not asked for by %s", (question) => {
    expect(isKind("advice", question)).toBe(false);
  });
});

describe("what happened", () => {
  const subIntent = (question: string): string => routeQuestion(question, { history: [] }).sub_intent;

  it.each([
    "Did Amazon profit rise in Q3?",
    "黄金涨到多少了",
    "比特币跌到多少了",
    "Metaplanet增持了2000枚比特币吗",
    "how much did bitcoin fall",
  ])("is no wish for advice: %s", (question) => {
    expect(subIntent(question)).not.toBe("investment_advice");
  });

  it.each([
    "BTC会涨到多少",
    "以太坊要突破5000了吗",
    "现在可以入场了吗",
    "现在买比特币晚了吗",
    "was it a good idea to buy BTC",
  ])("is not asked by a wish for advice: %s", (question) => {
    expect(subIntent(question)).toBe("investment_advice");
  });
});

describe("questions about the caller's own questions", () => {
  it.each([
    ["提问次数啥时候刷新", "quota_reset"],
    ["提问额度几点恢复", "quota_reset"],
    ["刚才那句算不算一次提问额度", "quota"],
    ["刚才那个问题扣次数了吗", "quota"],
    ["提问机会还剩几次", "quota"],
  ])("%s", (question, sub_intent) => {
    expect(routeQuestion(question, { history: [] })).toMatchObject({ route: "account", sub_intent, confidence: 1 });
  });
});

describe("the subject of a question for news", () => {
  it.each([
    ["币安有什么新闻", "币安"],
    ["特斯拉最近怎么样", "特斯拉"],
    ["贵州茅台最近出什么事了？", "贵州茅台"],
    ["华为最新消息", "华为"],
    ["有没有苹果的新闻", "苹果"],
    ["any news on Tesla?", "tesla"],
    ["what's new with Nvidia", "nvidia"],
    ["What happened to Do Kwon?", "do kwon"],
    ["what is the latest on the UBS layoffs", "ubs layoffs"],
  ])("%s", (question, subject) => {
    expect(newsSubject(question)).toBe(subject);
  });

  it.each([
    "what happened to my withdrawal",
    "what's new with the app",
    "what happened today",
    "平台最近怎么样",
    "我的提现怎么了",
    "怎么提现",
  ])("is none in %s", (question) => {
    expect(newsSubject(question)).toBeUndefined();
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
