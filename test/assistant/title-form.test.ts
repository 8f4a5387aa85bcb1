import { describe, expect, it } from "vitest";
import { formsOfTitle, titleForm } from "../../src/assistant/retrieval/answer-index.ts";

const isAsked = (question: string, title: string): boolean => {
  const form = titleForm(question);
  return form !== undefined && formsOfTitle(title).includes(form);
};

describe("a question in the plainest words asks for the title", () => {
  it.each([
    ["How do I return a parcel?", "How to return a parcel"],
    ["how can I return my parcels", "How to return a parcel"],
    ["Could you tell me how to return a parcel?", "How to return a parcel"],
    ["What is the return window?", "Return window"],
    ["What are gift cards?", "What gift cards are and how to use one"],
    ["Why has my refund not arrived?", "Why a refund has not arrived"],
    ["My refund is late. What should I do?", "What to do when a refund is late"],
    ["How long does delivery take?", "How long delivery takes"],
    ["When is an order cancelled?", "When an order is cancelled, and how to avoid it"],
    ["What does delivery cost?", "What delivery costs"],
    ["请问怎么退货退款？", "如何退货退款"],
    ["什么是礼品卡？", "礼品卡是什么，怎么用"],
    ["为什么退款还没有到账", "退款为什么还没到账"],
    ["包裹丢了怎么办？", "包裹丢了该怎么处理"],
  ])("%s → %s", (question, title) => expect(isAsked(question, title)).toBe(true));
});

describe("a question for something else does not", () => {
  it.each([
    ["Why do I return a parcel?", "How to return a parcel"],
    ["How long do I have to return a parcel?", "How to return a parcel"],
    ["How do I return a parcel without a receipt?", "How to return a parcel"],
    ["Can I return a parcel?", "How to return a parcel"],
    ["How do I not return a parcel?", "How to return a parcel"],
    ["What is my gift card balance?", "Gift card balance"],
    ["礼品卡怎么退", "礼品卡是什么，怎么用"],
    ["我的礼品卡余额是多少", "礼品卡余额"],
    ["Refunds?", "Refunds and returns"],
  ])("%s → %s", (question, title) => expect(isAsked(question, title)).toBe(false));
});
