import { describe, expect, it } from "vitest";
import { prepareQuestion } from "../../src/assistant/assistant.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { NOW } from "./exchange.ts";
import { passage } from "./passages.ts";

const OTHERS = [
  passage({ id: "open", lang: "zh", title: "如何开店", text: "上传营业执照后，一个工作日内完成审核。" }),
  passage({ id: "open", title: "How to open a shop", text: "Upload your licence. The review takes one working day." }),
];
const PROGRAMME = [
  passage({
    id: "member",
    lang: "zh",
    title: "咖啡会员的等级与权益",
    text: "会员按近一年消费分为三级：青豆、金豆、黑豆。等级每月1日更新。",
  }),
  passage({
    id: "member",
    title: "Levels of the coffee membership",
    text: "Members have one of three levels by their purchases of a year: green, gold and black. Levels are updated on the 1st.",
  }),
];

function routeOf(question: string, passages: typeof OTHERS): string {
  const asked = { question, history: [], research: false, refused: [], hasModel: false, now: NOW };
  const { routing, answer } = prepareQuestion(asked, new AnswerIndex(passages));
  return answer?.sources[0]?.id ?? routing.route;
}

describe("a question for the own membership", () => {
  const ASKED = ["我的会员等级是啥", "我是什么会员", "what's my membership level", "what membership do I have"];

  it.each(ASKED)("is answered from an article on the operator's programme: %s", (question) => {
    expect(routeOf(question, [...OTHERS, ...PROGRAMME])).toBe("member");
  });

  it.each(ASKED)("is answered from the subscription where there is none: %s", (question) => {
    expect(routeOf(question, OTHERS)).toBe("account");
  });

  it.each(["我的订阅是什么", "我的套餐是什么", "what's my plan", "我的会员积分还剩多少"])(
    "is answered from the account if it names a plan or points: %s",
    (question) => {
      expect(routeOf(question, [...OTHERS, ...PROGRAMME])).toBe("account");
    },
  );
});
