import { describe, expect, it } from "vitest";
import { isOfOther } from "../../src/assistant/answering/asked-facts.ts";
import { prepareQuestion } from "../../src/assistant/assistant.ts";
import { toSourceItem } from "../../src/assistant/passage.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { passage } from "./passages.ts";

const NOW = Date.parse("2026-12-01T12:00:00Z"); // A Tuesday.

const item = (title: string, published_at = "2026-12-01T09:00:00Z", kind: "news" | "notice" = "news") =>
  passage({ id: title, kind, title, text: title, lang: /\p{Script=Han}/u.test(title) ? "zh" : "en", published_at });

const index = new AnswerIndex(
  [
    "比亚迪三季度净利润78亿元",
    "比亚迪二季度净利润64亿元",
    "Nvidia third-quarter revenue jumps 62% to $57 billion",
    "英伟达三季度营收570亿美元，同比增长62%",
    "美国10月CPI同比上涨2.9%，低于预期",
    "美国9月非农新增就业11.9万",
    "美国10月非农新增就业6.4万",
    "以太坊ETF周一净流入2.4亿美元",
    "Tether burns 1 billion USDT on Tron",
    "特斯拉召回13万辆Model Y，转向系统存隐患",
    "OPEC+同意每日增产13.7万桶",
    "Ford recalls 1.5 million F-150 trucks over transmission fault",
    "Disney annual profit doubles to $12.4 billion in fiscal 2025",
  ].map((title) => item(title)),
);

function outcomeOf(question: string): string | undefined {
  const given = { question, history: [], research: false, refused: [], hasModel: false, now: NOW };
  return prepareQuestion(given, index).answer?.outcome;
}

describe("news of another period, amount or model", () => {
  it.each([
    "比亚迪四季度净利润多少？",
    "比亚迪一季度净利润多少？",
    "Did Nvidia revenue rise in the second quarter?",
    "英伟达二季度营收多少？",
    "美国11月CPI是多少",
    "美国8月非农新增多少",
    "以太坊ETF周二净流入多少",
    "Did Tether burn 2 billion USDT?",
    "特斯拉召回多少辆Model 3",
    "OPEC+ 二月每日增产多少桶？",
    "How many F-250 trucks did Ford recall?",
    "Disney annual profit in fiscal 2024",
  ])("is not charged: %s", (question) => {
    expect(outcomeOf(question)).toMatch(/unsure|offered|declined/);
  });

  it.each([
    "比亚迪三季度净利润多少？",
    "How much was Nvidia's third-quarter revenue?",
    "英伟达三季度营收多少？",
    "美国10月CPI是多少",
    "美国9月非农新增多少",
    "以太坊ETF周一净流入多少", // Reported on the next day.
    "Did Tether burn 1 billion USDT?",
    "特斯拉召回多少辆Model Y",
    "OPEC+ 每日增产多少桶？",
    "How many F-150 trucks did Ford recall?",
    "Disney annual profit in fiscal 2025",
  ])("is charged if it is of that one: %s", (question) => {
    expect(outcomeOf(question)).toBe("answered");
  });
});

describe("isOfOther", () => {
  const isOther = (question: string, ...given: Parameters<typeof item>): boolean => {
    const source = item(...given);
    return isOfOther(question, toSourceItem(source, source.text), NOW);
  };

  it.each([
    ["third-quarter sales", "二季度销售额50亿元"],
    ["三季度销售额", "Q2 sales reach $5 billion"],
    ["sales in H1", "Sales rise in the second half"],
    ["上半年销售额", "一季度销售额50亿元"],
    ["10月出口", "1-10月出口增长5%"],
    ["三季度净利润", "前三季度净利润646亿元"],
    ["十一月销量", "October sales rise"],
    ["sales last quarter", "Second-quarter sales rise"],
    ["FY25 revenue", "2024财年营收90亿元"],
    ["去年营收", "2026年营收90亿元"],
    ["inflows on Friday", "周一净流入5800万美元"],
    ["how many were sold yesterday", "5,000 sold on Sunday"],
    ["index last week", "The index rises 2% this week"],
    ["下架是12月10日吗", "12月12日下架四种代币"],
    ["first-quarter revenue", "Revenue hits $5 billion"], // Published in the fourth quarter.
    ["2025年营收", "营收达90亿元"],
    ["Did it close 600 stores?", "It closes 400 stores"],
    ["SU7交付多少辆", "YU7交付超10万辆"],
    ["iPhone 16 sales", "iPhone 17 sales reach 5 million"],
  ])("finds another: %s", (question, title) => {
    expect(isOther(question, title)).toBe(true);
  });

  it.each([
    ["third-quarter sales", "第三财季销售额50亿元"],
    ["三季报净利润", "3Q net profit rises"],
    ["sales in H1", "半年报：销售额50亿元"],
    ["十月出口", "Exports rise in October"],
    ["sales last quarter", "三季度销售额50亿元"],
    ["FY25 revenue", "2025财年营收90亿元"],
    ["how many were sold yesterday", "5,000 sold on Monday"],
    ["why did it fall in November", "It falls below $90,000 for the first time since April"],
    ["third-quarter revenue", "Revenue hits $5 billion"], // The quarter that has just ended.
    ["11月销量", "销量达3.3万辆"],
    ["今年营收", "营收达90亿元"],
    ["GPT-6发布了吗", "OpenAI releases GPT 6"],
    ["Did it pay $2.9bn?", "以29亿美元收购"],
    ["Did it close 400 stores?", "It closes 400 stores"],
    ["2025 BTC bought?", "It buys 2,025 BTC"],
    ["may i sell", "It sells 5 cars in March"],
  ])("finds the same, or none: %s", (question, title) => {
    expect(isOther(question, title)).toBe(false);
  });

  it("reads the date of news for want of a period, and no date of others", () => {
    expect(isOther("11月销量", "销量达3.3万辆", "2026-03-01T09:00:00Z")).toBe(true);
    expect(isOther("11月维护", "系统维护", "2026-03-01T09:00:00Z", "notice")).toBe(false);
    expect(isOther("11月维护", "12月维护", "2026-03-01T09:00:00Z", "notice")).toBe(true);
  });
});
