import { describe, expect, test } from "vitest";
import { detectLanguage, nearestLanguage } from "../../../src/language/detect-language.ts";
import { quantitiesOf } from "../../../src/language/quantities.ts";
import { plainLine, shorten } from "../../../src/language/plain-text.ts";
import { dominantSentiment, sentimentOf } from "../../../src/news/items/sentiment.ts";
import { assetsInNews } from "../../../src/language/assets.ts";

describe("assets", () => {
  test.each([
    ["Bitcoin and ether rise", [], ["BTC", "ETH"]],
    ["比特币突破十万美元，以太坊跟涨", [], ["BTC", "ETH"]],
    ["SEC approves ETF options as CPI falls; US CEO speaks", [], []],
    ["The exchange-traded fund (ETF) and the SEC", ["SEC"], []],
    ["Bitcoin Cash is not Bitcoin", [], ["BCH", "BTC"]],
    ["The link is near the optimism of one", [], []],
    ["Stake $LINK or trade OP/USDT and NEAR-USDT", [], ["LINK", "OP", "NEAR"]],
    ["Tidepool (TIDE) drained", [], ["TIDE"]],
    ["TIDE loses half its value", ["TIDE", "SECURITY"], ["TIDE"]],
    ["TIDE loses half its value", [], []],
    ["SOL现货ETF获批", [], ["SOL"]],
    ["Solid ethereal cosmos", [], []],
  ])("of %j with %j are %j", (text, categories, symbols) => {
    expect(assetsInNews(text, categories)).toEqual(symbols);
  });
});

describe("sentiment", () => {
  test.each([
    ["Bitcoin surges to a record high", "positive"],
    ["Exchange hacked, funds stolen", "negative"],
    ["Bitcoin does not fall", "positive"],
    ["Regulator denies approval", "negative"],
    ["Losses narrow at miner", "positive"],
    ["Committee meets on Tuesday", "neutral"],
    ["比特币大涨，创历史新高", "positive"],
    ["交易所遭攻击，用户资产被盗", "negative"],
    ["平台称用户资产没有损失", "positive"],
    ["以太坊跌幅收窄", "positive"],
    ["本周会议安排", "neutral"],
  ])("of %j is %s", (title, label) => {
    expect(sentimentOf(title, "")).toBe(label);
  });

  test("of many items is what most carry; the index decides a tie", () => {
    expect(dominantSentiment({ positive: 3, neutral: 2, negative: 1 }, 10)).toBe("positive");
    expect(dominantSentiment({ positive: 2, neutral: 0, negative: 2 }, 20)).toBe("negative");
    expect(dominantSentiment({ positive: 2, neutral: 0, negative: 2 }, 80)).toBe("positive");
    expect(dominantSentiment({ positive: 2, neutral: 0, negative: 2 }, null)).toBe("neutral");
    expect(dominantSentiment({ positive: 0, neutral: 0, negative: 0 }, null)).toBe("neutral");
  });
});

describe("a quantity is the same in every notation", () => {
  test.each([
    ["$105K", 105_000],
    ["105,000", 105_000],
    ["10.5 万美元", 105_000],
    ["$1.42 billion", 1.42e9],
    ["1.42B", 1.42e9],
    ["14.2 亿美元", 1.42e9],
    ["2万亿", 2e12],
  ])("%s", (text, value) => {
    expect(quantitiesOf(text).map((quantity) => quantity.value)).toEqual([expect.closeTo(value, 0)]);
  });

  test("and a percentage is another quantity", () => {
    expect(quantitiesOf("4.1% and 5 percent")).toMatchObject([
      { value: 4.1, percent: true },
      { value: 5, percent: true },
    ]);
  });
});

describe("language", () => {
  test("is read from the script", () => {
    expect(detectLanguage("Tidepool 跨链桥遭攻击", "en")).toBe("zh");
    expect(detectLanguage("The 币 coin is listed on many large exchanges", "zh")).toBe("en");
    expect(detectLanguage("123", "zh")).toBe("zh");
  });

  test.each([
    ["zh-TW", "zh"],
    ["zh_Hant", "zh"],
    ["ZH", "zh"],
    ["yue", "zh"],
    ["en-GB", "en"],
    ["fr", "en"],
    ["zha", "en"],
  ])("nearest to %s is %s", (tag, lang) => {
    expect(nearestLanguage(tag)).toBe(lang);
  });
});

describe("plain text", () => {
  test.each([
    ["<p>One</p><p>two &amp; three</p>", "One two & three"],
    ["5 < 6 and 7 > 2", "5 < 6 and 7 > 2"],
    ["<script>alert(1)</script>ok<style>p{}</style>", "ok"],
    ["a<b>b</b>c &#x4e2d;&#25991; &bogus; &#xD800;", "abc 中文 &bogus;"],
    ["<img src=x onerror=alert(1)>x", "x"],
  ])("of %j is %j", (html, text) => {
    expect(plainLine(html)).toBe(text);
  });

  test("is shortened by whole characters, at a word where one ends", () => {
    expect(shorten("one two three four", 12)).toBe("one two…");
    expect(shorten("😀".repeat(10), 5)).toBe(`${"😀".repeat(4)}…`);
    expect(shorten("short", 10)).toBe("short");
  });
});
