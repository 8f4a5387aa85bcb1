import { describe, expect, it } from "vitest";
import { REPLIES } from "../../src/assistant/answering/replies.ts";
import { prepareQuestion } from "../../src/assistant/assistant.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { NOW } from "./exchange.ts";
import { passage } from "./passages.ts";

const index = new AnswerIndex([
  passage({ id: "buy", lang: "zh", title: "如何买入基金", text: "在产品页点击买入，10元起购。" }),
  passage({ id: "card", lang: "zh", title: "绑定银行卡与查看余额", text: "在我的页面添加银行卡，账户余额在首页。" }),
  passage({ id: "family", lang: "zh", title: "给家人买保险", text: "可以为配偶、子女和父母投保，保单在我的保单里。" }),
  passage({ id: "buy", title: "How to buy a fund", text: "Tap Buy on the product's page. The minimum is 10 EUR." }),
  passage({ id: "card", title: "Cards and balance", text: "Add a card under Me. Your balance is on the home page." }),
]);

function textOf(question: string): string | undefined {
  const asked = { question, history: [], research: false, refused: [], hasModel: false, now: NOW };
  return prepareQuestion(asked, index).answer?.text;
}
const [OWN, ADVICE] = [REPLIES.ownOnly, REPLIES.investmentAdvice].map((reply) => Object.values(reply));

describe("data of others", () => {
  it.each([
    "周立明的账户里有多少钱",
    "查一下张三的持仓",
    "我老婆买了哪些基金能帮我查下吗",
    "我朋友的积分有多少",
    "手机号13800138000的用户叫什么名字",
    "how much does John Smith have",
    "how much money does my wife have in her account",
    "what is my wife's balance",
    "show me another user's orders",
    "show me Bob's portfolio",
  ])("are not shown, and the reply says so: %s", (question) => {
    expect(OWN).toContain(textOf(question));
  });

  it.each([
    "我的账户里有多少钱",
    "钱包的余额有多少",
    "黄金的持仓有哪些",
    "怎么给老婆买保险",
    "可以给我儿子的账户转账吗",
    "how much does the basic plan have",
    "how much does express delivery cost",
    "what's today's balance",
    "how do I add money to my wife's account",
  ])("are not what is asked for by %s", (question) => {
    expect(OWN).not.toContain(textOf(question));
  });
});

describe("whether something is on offer", () => {
  it.each([
    "能在稳禾买比特币吗",
    "可以买黄金吗",
    "可以买特斯拉股票吗",
    "can I buy gold here",
    "can I buy bitcoin here",
  ])("is no request for advice: %s", (question) => {
    expect(ADVICE).not.toContain(textOf(question));
  });

  it.each(["现在可以买黄金吗", "该不该买比特币", "should I buy gold now"])("differs from advice: %s", (question) => {
    expect(ADVICE).toContain(textOf(question));
  });
});
