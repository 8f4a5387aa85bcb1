import { describe, expect, it } from "vitest";
import { lacksFact } from "../../src/assistant/answering/asked-facts.ts";
import { prepareQuestion } from "../../src/assistant/assistant.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { NOW } from "./exchange.ts";
import { passage } from "./passages.ts";

const article = (id: string, lang: string, title: string, text: string) => passage({ id, lang, title, text });

const PRICES = [
  ["| Parcel | Up to | Price |", "| --- | --- | --- |", "| Small | 2 kg | 4.90 EUR |", "| Large | 10 kg | 9.90 EUR |"],
  ["| 包裹 | 限重 | 价格 |", "| --- | --- | --- |", "| 小件 | 2公斤 | 4.90欧元 |", "| 大件 | 10公斤 | 9.90欧元 |"],
].map((rows) => rows.join("\n"));

/** The help center of a company that sells wallets, phone plans and parcels, and trades shares. */
const index = new AnswerIndex([
  article(
    "bluetooth",
    "en",
    "Bluetooth",
    "The device has Bluetooth. Turn it on under Settings, then pair it with the app.",
  ),
  article("battery", "en", "Battery", "The battery lasts eight hours. A full charge takes two hours."),
  article(
    "coins",
    "en",
    "Supported coins",
    "BTC, ETH, SOL and LTC are supported. Tokens of Ethereum are supported as well.",
  ),
  article("swaps", "en", "Swaps", "A swap takes 30 minutes. The smallest swap is 20 USD."),
  article("passphrase", "en", "Passphrase", "A passphrase opens a hidden wallet. It can have up to 50 characters."),
  article("5g", "en", "5G", "All plans include 5G. Your phone must support it."),
  article("parcels", "en", "Weight and prices of parcels", PRICES[0]!),
  article("parcels", "zh", "包裹价格", PRICES[1]!),
  article("deposit", "en", "Deposit", "Deposit money by transfer. The minimum deposit is 100 EUR."),
  article("deposit", "zh", "入金", "通过转账入金。最低入金100欧元。"),
  article("fees", "zh", "佣金", "Xetra 佣金4.90欧元，伦敦佣金6.00英镑。不收托管费。"),
  article(
    "fees",
    "en",
    "Commission",
    "The commission is 4.90 EUR on Xetra and 6.00 GBP in London. There is no custody fee.",
  ),
  article("pickup", "zh", "上门取件", "快递员上门取件，费用3欧元。上午10点前预约可当天取件。"),
  article("express", "zh", "派送时间", "国内包裹次日送达，周一至周六派送。特快包裹中午前送达，加收8欧元。"),
  article(
    "locker",
    "en",
    "Lockers",
    "A parcel stays in the locker for 7 days. You open it with the code in the text message.",
  ),
  article(
    "withdraw",
    "en",
    "Withdraw money",
    "Withdrawals go to your reference account only. They are free once a month.",
  ),
  article("cancel", "zh", "取消合同", "每月均可取消。请在月底前至少14天提交取消。"),
]);

function outcomeOf(question: string): string | undefined {
  const given = { question, history: [], research: false, refused: [], hasModel: false, now: NOW };
  return prepareQuestion(given, index).answer?.outcome;
}

describe("an article without the fact that is asked for", () => {
  it.each([
    "what's the range of bluetooth",
    "bluetooth range",
    "when will you support SOL",
    "what is the largest swap",
    "passphrase minimum length",
    "how fast is 5g",
    "what is the maximum deposit",
    "最高入金多少",
    "price of a parcel of 20 kg", // More than all of the table's.
    "20公斤的包裹多少钱",
    "pair bluetooth without the app",
  ])("is not charged: %s", (question) => {
    expect(outcomeOf(question)).toMatch(/unsure|offered/);
  });

  it.each([
    "smallest swap",
    "maximum passphrase length",
    "what is the minimum deposit",
    "最低入金多少",
    "how much is a parcel of 8 kg",
    "小件包裹多少钱",
  ])("is charged if it has it: %s", (question) => {
    expect(outcomeOf(question)).toBe("answered");
  });
});

describe("an article that answers half of a question", () => {
  it.each([
    "Xetra和东京的佣金",
    "commission on Xetra and Tokyo",
    "上门取件和特快各加多少钱",
    "is withdrawal free and how do i change my reference account",
    "取消合同要提前几天，要罚款吗",
  ])("is not charged: %s", (question) => {
    expect(outcomeOf(question)).toMatch(/unsure|offered/);
  });

  it.each([
    "Xetra和伦敦的佣金",
    "commission on Xetra and custody fee",
    "how long is a parcel kept in the locker and how do i open it",
    "上门取件多少钱，可以当天吗",
  ])("is charged if it answers both: %s", (question) => {
    expect(outcomeOf(question)).toBe("answered");
  });
});

describe("lacksFact", () => {
  const PLANS = "Plan S costs EUR 9 a month, plan M EUR 15.\n套餐 S 每月 9 欧元，套餐 M 每月 15 欧元。";
  const TRAINS = "There is Wi-Fi on all trains of the class A330, not on the A320. One hour costs EUR 6.";
  const INSURED = "Furniture is insured up to EUR 50,000. For bicycles the limit is EUR 2,000.";
  const INSURED_ZH = "家具最高保额 50,000 元，自行车最高 2,000 元。";
  const TERMS = "| Fix 12 | 28.9 ct | 12 months |\n| Fix 24 | 27.5 ct | 24 months |";
  const REMINDERS = "The first reminder is free, the second costs EUR 2.50. Four weeks later we cut you off.";
  const FRIENDS = "If you recommend us to a friend, both get EUR 30.";
  const ROAMING = "In the EU you use your data at no extra cost.";

  it.each([
    ["how much is plan XL", PLANS],
    ["套餐XL多少钱", PLANS],
    ["wifi on the A350", TRAINS],
    ["how much is Fix 36", TERMS],
    ["Did it recall the F-250?", "It recalls 1.5 million F-150 trucks."],
    ["神舟二十号发射了吗", "神舟二十一号发射成功"],
    ["Fix 36 多少钱", TERMS],
    ["fee of the third reminder", REMINDERS],
    ["第三次催款多少钱", "第一次催款免费，第二次 2.50 欧元，之后停电。"],
    ["how many friends can i recommend", FRIENDS],
    ["推荐几个人", "推荐好友双方各得 30 欧元。"],
    ["how fast is the wifi", TRAINS],
    ["how much is the insurance", INSURED],
    ["家财险多少钱", INSURED_ZH],
    ["roaming in the EU and in Switzerland", ROAMING],
    ["欧盟和瑞士漫游收费吗", ROAMING], // Of another language: places are known in both.
  ])("finds that it is missing: %s", (question, text) => {
    expect(lacksFact(question, text)).toBe(true);
  });

  it.each([
    ["how much is plan m", PLANS],
    ["套餐M多少钱", PLANS],
    ["wifi on the a320", TRAINS],
    ["how much is fix 24", TERMS],
    ["fix 18 price", TERMS], // It may lie between them, as a level of a range.
    ["fee of the second reminder", REMINDERS],
    ["fee of the third reminder", "Each reminder costs EUR 2.50."],
    ["how many friends can i recommend", "You can recommend up to five friends a year."],
    ["几个人可以用", "最多 4 人共用。"],
    ["how much is the wifi", TRAINS],
    ["how much is the insurance", `${INSURED} It costs EUR 12 a month.`],
    ["how much am i insured for", INSURED],
    ["do i need a w8", "Sign form W-8BEN before your first trade."],
    ["欧盟漫游收费吗", ROAMING],
    ["i was in the EU for two days and my data is gone", ROAMING], // "And" joins sentences here.
    ["machine is broken and support wont help", "Report a machine that is broken."],
  ])("does not find that it is missing: %s", (question, text) => {
    expect(lacksFact(question, text)).toBe(false);
  });
});
