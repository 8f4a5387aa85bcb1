import { describe, expect, test } from "vitest";
import { readTitle } from "../../../src/news/topics/title-questions.ts";

describe("the question that a title answers", () => {
  test.each([
    ["Halden to acquire Brightwater for $1.2 billion", "For how much will Halden acquire Brightwater?"],
    ["Halden raises $40M Series B led by Northgate", "How much did Halden raise?"],
    ["Halden invests $2 million in Quay Labs", "How much did Halden invest in Quay Labs?"],
    ["Peru buys 1,090 BTC in one day", "How many BTC did Peru buy?"],
    ["Halden pauses withdrawals after flood", "Why did Halden pause withdrawals?"],
    ["HLD slides 38% after delisting", "Why did HLD slide?"],
    ["HLD slides 38%", "How far did HLD slide?"],
    ["Fed lifts interest rates by 25 basis points", "By how much did the Fed lift interest rates?"],
    ["Bitcoin tops $100,000", "What level did Bitcoin top?"],
    ["SEC approves spot funds", "What did the SEC approve?"],
    ["Ripple and SEC agree to drop appeals", "What did Ripple and the SEC agree to drop?"],
    ["Ana Ruiz and Bo Lind want a hike", "What do Ana Ruiz and Bo Lind want?"],
    ["Halden seeks to list a fund", "What does Halden seek to list?"],
    ["Halden names Ana Ruiz as new chief executive", "Who did Halden name as new chief executive?"],
    ["Ana Ruiz to step down as CEO on January 20", "When will Ana Ruiz step down as CEO?"],
    ["Halden fined $5M by FCA", "How much was Halden fined?"],
    ["Brightwater sold to Halden", "Who was Brightwater sold to?"],
    ["Halden brings its fund to Solana", "What did Halden bring to Solana?"],
    ["Halden to offer cards in EU", "What will Halden offer in the EU?"],
    ["Halden, a Swiss custodian, secures a licence", "What did Halden secure?"],
    ["Crypto exchange Halden launches a card", "What did Halden launch?"],
    ["South Korea's largest exchange launches a card", "What did South Korea's largest exchange launch?"],
    ["Halden Launches Card for European Clients", "What did Halden launch?"],
  ])("asks of %s", (title, question) => {
    expect(readTitle(title, "en", "a card of South Korea").question).toBe(question);
  });

  test.each([
    ["币安将于3月14日下架四种代币", "币安将于何时下架四种代币？"],
    ["Halden拟15亿美元收购Brightwater", "Halden拟以多少美元收购Brightwater？"],
    ["跨链桥Halden遭攻击,损失约410万美元", "跨链桥Halden遭攻击，损失多少美元？"],
    ["Halden完成4000万美元B轮,Northgate领投", "Halden完成4000万美元B轮，谁领投？"],
    ["秘鲁单日买入1090枚比特币", "秘鲁单日买入多少枚比特币？"],
    ["央行宣布加息25个基点", "央行宣布加息多少个基点？"],
    ["代币HLD大跌38%", "代币HLD大跌多少？"],
    ["Halden宕机三小时", "Halden宕机多久？"],
    ["Halden因网络升级暂停充提", "Halden为什么暂停充提？"],
    ["Halden以「审查」为由暂停提现", "Halden为什么暂停提现？"],
    ["Halden基金会任命Ana Ruiz为新任CEO", "Halden基金会任命谁为新任CEO？"],
    ["Halden获香港交易平台牌照", "Halden获得了什么牌照？"],
    ["SOL基金获SEC批准", "SOL基金获哪家机构批准？"],
    ["FTX起诉币安", "FTX起诉了谁？"],
    ["Halden计划推出稳定币", "Halden计划推出什么？"],
    ["Halden推出稳定币", "Halden推出了什么？"],
  ])("asks of %s", (title, question) => {
    expect(readTitle(title, "zh", "").question).toBe(question);
  });

  test.each([
    ["Ether funds lose ground", "en"],
    ["Judge rejects request", "en"],
    ["Shares of Halden jump 5%", "en"],
    ["Fourteen charged over fraud", "en"],
    ["Halden wallet denies a leak", "en"], // Nothing else says that "Halden" is a name.
    ["升级后Halden解除限制", "zh"],
    ["1亿美元清算", "zh"],
    ["估值在40亿至50亿欧元", "zh"],
    ["哈尔登回应出售股份传闻", "zh"],
    ["哈尔登遭攻击，损失约4亿美元ETH", "zh"],
    ["Halden's loses $4 billion", "en"],
  ] as const)("is none of %s", (title, lang) => {
    expect(readTitle(title, lang, "").question).toBeUndefined();
  });

  test("has what belongs to a name as its subject where the context has the name", () => {
    const { question } = readTitle("Halden wallet denies a leak", "en", "No leak, says Halden");
    expect(question).toBe("What did the Halden wallet deny?");
  });

  test("leaves a subject whose deed it cannot ask about", () => {
    expect(readTitle("Austria hands a licence to Halden", "en", "")).toEqual({ subject: "Austria" });
  });
});
