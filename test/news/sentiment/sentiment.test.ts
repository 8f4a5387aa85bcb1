import { describe, expect, test } from "vitest";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { sentimentOf, classGramsOf, gramsOf } from "../../../src/news/sentiment/sentiment-model.ts";
import { readNumberedLines } from "../../../src/language/word-vectors.ts";
import { dominantSentiment } from "../../../src/news/snapshot/latest-snapshot.ts";

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
    ["qwer asdf zxcv", "neutral"],
    ["Documentary about the bank's collapse wins an award", "neutral"],
    ["Committee publishes the agenda of its spring meeting", "neutral"],
    ["Can the rally last?", "neutral"],
    ["加息会引发崩盘吗？", "neutral"],
    ["交易所称用户资金毫发无损", "positive"],
    ["空头爆仓2亿美元", "positive"],
    ["多头爆仓2亿美元", "negative"],
    ["被盗资金全部追回", "positive"],
    ["营收不及预期", "negative"],
    ["Losses narrow at miner", "positive"],
    ["Shorts wiped out as price jumps", "positive"],
    ["Nasdaq drops plan to delist Chinese carmaker", "positive"],
    ["稳定币发行方被审计师抛弃", "negative"],
    ["罢工在最后一刻取消", "positive"],
    ["穩定幣發行方被審計師拋棄", "negative"],
    ["董事会换届选举日期公布", "neutral"],
    ["Hack losses hit record in third quarter", "negative"],
    ["Stocks pare gains after Fed remarks", "negative"],
    ["Bitcoin erases losses to close higher", "positive"],
    ["Gold fund snaps 10-week streak of outflows", "positive"],
    ["Brill shelves plan to close three plants", "positive"],
    ["Brill shelves plan to expand Ohio plant", "negative"],
    ["Judge refuses to dismiss fraud case against Tannic founder", "negative"],
    ["Exchange reopens withdrawals", "positive"],
    ["失业率回落至4.0%", "positive"],
    ["失业率升至5.1%，创四年新高", "negative"],
    ["黄金ETF终结连续十周净流出", "positive"],
    ["黄金ETF终结连续十周净流入", "negative"],
    ["布里尔取消裁员计划", "positive"],
    ["美股涨幅收窄", "negative"],
    ["布里尔未能避免违约", "negative"],
    ["Hackers return stolen funds to protocol", "positive"],
    ["Hackers return to target the bridge", "negative"],
    ["Hacker refuses to return stolen funds", "negative"],
    ["Founder acquitted of fraud", "positive"],
    ["Founder pleads not guilty to fraud", "negative"],
    ["Prosecutors drop charges against trader", "positive"],
    ["Court overturns acquittal of founder", "negative"],
    ["Treasury lifts sanctions on mixer", "positive"],
    ["黑客归还被盗资金", "positive"],
    ["黑客拒绝归还被盗资金", "negative"],
    ["创始人被判无罪", "positive"],
    ["法院推翻无罪判决", "negative"],
    ["检方撤销对创始人的指控", "positive"],
    ["大股东终止减持计划", "positive"],
    ["董事长取消减持计划", "positive"],
    ["布里尔终止回购计划", "negative"],
    ["快递投诉量同比增长两成", "negative"],
    ["快递投诉量同比下降两成", "positive"],
    ["公租房申请门槛拟下调", "positive"],
    ["落户门槛提高", "negative"],
    ["挪威央行宣布降息25个基点", "positive"],
    ["Norges Bank cuts its policy rate by 25 basis points", "positive"],
    ["三年期大额存单利率降至1.5% 多家银行跟进", "negative"],
    ["多家银行下调三年期大额存单利率至1.5%", "negative"],
    ["Copper slides as smelters raise output", "negative"],
    ["Brill Airways launches low-cost regional fares", "positive"],
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

  test("is learned from the classes of words, and from what stands near them", () => {
    const grams = classGramsOf("Delays at ports shrink");
    expect([...grams]).toEqual(
      expect.arrayContaining(["{bad}", "{bad} at", "{bad} ~ port", "{bad}{down}", "port {down}"]),
    );
    expect([...classGramsOf("港口延误减少")]).toEqual(
      expect.arrayContaining(["{bad}", "口 {bad}", "港 ~ {bad}", "{bad}{down}"]),
    );
    expect(classGramsOf("Ports and cranes").size).toBe(0);
  });

  describe("learned", () => {
    const room = new URL("../../../src/news/sentiment/", import.meta.url);
    const read = (file: string) => readFileSync(new URL(file, room), "utf8");
    const files = ["headlines/en.tsv", "headlines/zh.tsv", "../../language/data/word-classes.txt"].map(read);
    const lines = files.slice(0, 2).flatMap((text) => text.trimEnd().split("\n"));
    const parts = lines
      .filter((_, at) => at % 40 === 0)
      .map((line) => line.split("\t")[1]!)
      .map((title) => [...new Set([...gramsOf(title), ...classGramsOf(title)])].toSorted());
    const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
    /** What `scripts/make-sentiment.js` saw. */
    const seen = brotliDecompressSync(readFileSync(new URL("sentiment-weights.br", room)))
      .subarray(-64)
      .toString("hex");

    test("from the titles and classes as they are, each title of one label", () => {
      expect(seen.slice(0, 64), "node scripts/make-sentiment.js was not run again").toBe(sha256(files.join("")));
      expect(lines.filter((line) => !/^(positive|negative|neutral)\t./.test(line))).toEqual([]);
    });

    test("from the parts of titles that are found now", () => {
      const all = parts.map((some) => some.join("\t")).join("\n");
      expect(seen.slice(64), "node scripts/make-sentiment.js was not run again").toBe(sha256(all));
    });

    test("as the weights of the parts that ten titles have, and of no others", () => {
      const counts = (found: readonly string[]): [string, number][] => {
        const times = new Map<string, number>();
        for (const part of found) times.set(part, (times.get(part) ?? 0) + 1);
        return [...times];
      };
      const weights = new URL("../../../src/news/sentiment/sentiment-weights.br", import.meta.url);
      const { numbers } = readNumberedLines(weights);
      const isWeighed = (part: string): boolean => numbers.has(part);
      expect(counts(parts.flat()).filter(([part, count]) => count >= 10 && !isWeighed(part))).toEqual([]);
      // Of all titles, the pairs of characters alone: there are a million parts.
      const chinese = files[1]!.trimEnd().split("\n");
      const isPair = (part: string): boolean => /^\p{Script=Han}{2}$/u.test(part);
      const pairs = chinese.flatMap((line) => [...gramsOf(line.split("\t")[1]!)].filter(isPair));
      expect(counts(pairs).filter(([part, count]) => isWeighed(part) !== count >= 10)).toEqual([]);
    });
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
