import { describe, expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { sentimentOf } from "../../../src/news/sentiment/sentiment.ts";
import { gramsOf, isWeighed, shapeOf } from "../../../src/news/sentiment/sentiment-model.ts";
import { countWords } from "../../../src/news/sentiment/sentiment-words.ts";
import { dominantSentiment } from "../../../src/news/snapshot/snapshot-views.ts";

/** What the counted words alone decide. */
function byWords(title: string): string {
  const [positive, negative] = shapeOf(countWords(title)).slice(-2);
  return positive === 1 ? "positive" : negative === 1 ? "negative" : "neutral";
}

describe("the words of a title", () => {
  test.each([
    ["Bitcoin surges to a record high", "positive"],
    ["Exchange hacked, funds stolen", "negative"],
    ["Bitcoin does not fall", "positive"],
    ["Regulator denies approval", "negative"],
    ["Losses narrow at miner", "positive"],
    ["Prosecutors drop all charges against the founder", "positive"],
    ["Court overturns the lender's win", "negative"],
    ["Maker misses estimates despite record profit", "negative"],
    ["Shares jump after profit beats estimates", "positive"],
    ["Growth of 5% falls short of forecasts", "negative"],
    ["Shorts wiped out as price jumps", "positive"],
    ["空头爆仓2亿美元", "positive"],
    ["多头爆仓2亿美元", "negative"],
    ["以太坊失守4000美元", "negative"],
    ["被盗资金全部追回", "positive"],
    ["营收不及预期", "negative"],
    ["科普：什么是爆仓", "neutral"],
    ["Committee meets on Tuesday", "neutral"],
    ["比特币大涨，创历史新高", "positive"],
    ["交易所遭攻击，用户资产被盗", "negative"],
    ["平台称用户资产没有损失", "positive"],
    ["以太坊跌幅收窄", "positive"],
    ["本周会议安排", "neutral"],
    ["Bankruptcies drop to five-year low", "positive"],
    ["Unemployment climbs to 4.9%", "negative"],
    ["Regulator closes probe into lender without action", "positive"],
    ["Appeals panel restores $200 million judgment", "negative"],
    ["Rescue talks for carmaker end without agreement", "negative"],
    ["Retail sales come in stronger than forecast", "positive"],
    ["Trading volumes dry up on exchanges", "negative"],
    ["Startup wins Irish crypto permit", "positive"],
    ["Startup loses Irish crypto permit", "negative"],
    ["Customer funds were never at risk in the breach", "positive"],
    ["Insurer won't cover the stolen coins", "negative"],
    ["Airline's proposed tie-up is off", "negative"],
    ["Steelmaker burns less cash than expected", "positive"],
    ["Options traders load up on puts", "negative"],
    ["Copper punches through $6 a pound", "positive"],
    ["被盗资金悉数归还", "positive"],
    ["回购承诺落空", "negative"],
    ["出口降幅超预期", "negative"],
    ["Book review: inside the collapse of a hedge fund", "neutral"],
    ["失业率升至4.9%", "negative"],
    ["企业破产数降至五年低点", "positive"],
    ["监管结束对平台的调查", "positive"],
    ["监管叫停收购案", "negative"],
    ["新屋开工弱于预测", "negative"],
    ["亏损低于市场预期", "positive"],
    ["2010年闪崩是怎么回事", "neutral"],
    ["Nasdaq drops plan to delist Chinese carmaker", "positive"],
    ["Builder's orders plunge anew", "negative"],
    ["Shares tumble on fears of default", "negative"],
    ["Layoffs at software makers tail off", "positive"],
    ["Savers get their money back as insurer loses fight over payout", "positive"],
    ["Tax exemption for expats scrapped", "negative"],
    ["DJI removed from Pentagon list", "positive"],
    ["Insurer maintains dividend at 8 pence", "neutral"],
    ["停摆六日后跨链桥恢复提款", "positive"],
    ["通胀担忧致黄金以外资产下跌", "negative"],
    ["机构展望乐观，股价走高", "positive"],
    ["券商宣布暂停派息", "negative"],
    ["黑客攻击未遂，网络无恙", "positive"],
    ["纳指应声回落", "negative"],
    ["庭审日期敲定", "neutral"],
  ])("say for %j that it is %s", (title, label) => {
    expect(byWords(title)).toBe(label);
  });
});

describe("sentiment", () => {
  test.each([
    ["Bitcoin surges to a record high", "positive"],
    ["Exchange hacked, funds stolen", "negative"],
    ["Bridge operator makes every depositor whole after the exploit", "positive"],
    ["Auditors walk away from the stablecoin issuer", "negative"],
    ["Judge tosses suit against the exchange", "positive"],
    ["Appeals court revives suit against the exchange", "negative"],
    ["Retailer's turnaround runs out of road", "negative"],
    ["Leveraged bulls flushed out as ether sinks", "negative"],
    ["Documentary about the bank's collapse wins an award", "neutral"],
    ["Committee publishes the agenda of its spring meeting", "neutral"],
    ["Can the rally last?", "neutral"],
    ["加息会引发崩盘吗？", "neutral"],
    ["交易所称用户资金毫发无损", "positive"],
    ["空头认输离场", "positive"],
    ["稳定币发行方被审计师抛弃", "negative"],
    ["罢工在最后一刻取消", "positive"],
    ["穩定幣發行方被審計師拋棄", "negative"],
    ["董事会换届选举日期公布", "neutral"],
  ])("of %j is %s", (title, label) => {
    expect(sentimentOf(title, "")).toBe(label);
  });

  test("is learned from parts of titles: words, their neighbours and the ends, or characters", () => {
    expect([...gramsOf("Profits up 5% again")].toSorted()).toEqual(
      ["#", "# again", "^profit", "again", "again$", "profit", "profit _ #", "profit up", "profit up #"]
        .concat(["up", "up # again", "up #", "up _ again"])
        .toSorted(),
    );
    expect(gramsOf("涨5%")).toEqual(new Set(["涨", "涨#", "涨#%", "#", "#%", "%"]));
  });

  test("knows each part that five of the titles have which it learned from", () => {
    const counts = new Map<string, number>();
    for (const language of ["en", "zh"]) {
      const file = new URL(`../../../src/news/sentiment/headlines/${language}.tsv`, import.meta.url);
      for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
        const [label = "", title = ""] = line.split("\t");
        expect(["positive", "negative", "neutral"]).toContain(label);
        for (const gram of gramsOf(title)) counts.set(gram, (counts.get(gram) ?? 0) + 1);
      }
    }
    const wrong = [...counts].filter(([gram, count]) => isWeighed(gram) !== count >= 5);
    expect(wrong).toEqual([]);
  });

  test("is that of the summary where the title says nothing", () => {
    expect(sentimentOf("Statement of the board", "The shares fell to a record low.")).toBe("negative");
    expect(sentimentOf("Shares jump", "The shares fell to a record low.")).toBe("positive");
  });

  test("of many items is what most carry; the index decides a tie", () => {
    expect(dominantSentiment({ positive: 3, neutral: 2, negative: 1 }, 10)).toBe("positive");
    expect(dominantSentiment({ positive: 2, neutral: 0, negative: 2 }, 20)).toBe("negative");
    expect(dominantSentiment({ positive: 2, neutral: 0, negative: 2 }, 80)).toBe("positive");
    expect(dominantSentiment({ positive: 2, neutral: 0, negative: 2 }, null)).toBe("neutral");
    expect(dominantSentiment({ positive: 0, neutral: 0, negative: 0 }, null)).toBe("neutral");
  });
});
