import { describe, expect, it } from "vitest";
import { prepareQuestion } from "../../src/assistant/assistant.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { NOW } from "./exchange.ts";
import { passage } from "./passages.ts";

const article = (id: string, lang: string, title: string, text: string) => passage({ id, lang, title, text });

/** The help center of the imaginary lender Lumera, which names itself in many articles, and of one named as a known bank. */
const helpOf = (brand: string, zh: string) => [
  article(
    "limits",
    "zh",
    "银行卡支付限额",
    "单笔和单日限额由各家银行规定。工商银行单笔5万元、单日10万元；建设银行单笔5万元、单日20万元；招商银行单笔20万元、单日50万元。",
  ),
  article(
    "limits",
    "en",
    "Daily limits of bank cards",
    "The daily limit is set by your bank: 10,000 EUR a day for HSBC, 5,000 EUR a day for Barclays.",
  ),
  article("waiting", "zh", "医疗险的等待期", "医疗险的等待期为30天，意外伤害没有等待期。"),
  article(
    "waiting",
    "en",
    "Waiting period of medical insurance",
    "The waiting period of medical insurance is 30 days. Accidents have no waiting period.",
  ),
  article("about", "en", `About ${brand}`, `${brand} is licensed. ${brand} holds your money at a trustee.`),
  article("open", "en", `Open an account with ${brand}`, `Opening an account with ${brand} takes 3 minutes.`),
  article("about", "zh", `关于${zh}`, `${zh}持有牌照，客户资金由托管人保管。`),
  article("open", "zh", `如何在${zh}开户`, `在${zh}开户大约需要3分钟。`),
];
const index = new AnswerIndex(helpOf("Lumera", "禾光"));

function outcomeOf(question: string, over = index): string | undefined {
  const given = { question, history: [], research: false, refused: [], hasModel: false, now: NOW };
  return prepareQuestion(given, over).answer?.outcome;
}

describe("a question about a named bank or brand", () => {
  it.each([
    "农业银行单日限额多少",
    "中信银行单日限额多少",
    "浦发银行单笔限额多少",
    "贵阳银行单日限额多少",
    "平安医疗险等待期多久",
    "daily limit for Chase",
    "daily limit for chase",
    "daily limit for Wells Fargo",
    "waiting period of AXA medical insurance",
    "waiting period of axa medical insurance",
    "waiting period of the Zenvia medical insurance",
  ])("is not charged for an article that does not name it: %s", (question) => {
    expect(outcomeOf(question)).toMatch(/unsure|offered|declined/);
  });

  it.each([
    "工商银行单日限额多少",
    "建行单日限额多少",
    "医疗险等待期多久",
    "daily limit for HSBC",
    "waiting period of medical insurance",
    "waiting period of the Lumera medical insurance",
    "禾光医疗险等待期多久",
    "What Is The Waiting Period Of Medical Insurance",
  ])("is charged for one that names it, or if it is the operator's own: %s", (question) => {
    expect(outcomeOf(question)).toBe("answered");
  });

  it("is charged if the known name is the operator's own", () => {
    const own = new AnswerIndex(helpOf("AXA", "平安"));
    expect(outcomeOf("waiting period of AXA medical insurance", own)).toBe("answered");
    expect(outcomeOf("平安医疗险等待期多久", own)).toBe("answered");
  });
});
