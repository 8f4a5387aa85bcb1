import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assetsInQuestion } from "../../src/language/assets.ts";
import { detectLanguage } from "../../src/language/detect-language.ts";
import { fold } from "../../src/language/fold.ts";
import { plainText } from "../../src/language/plain-text.ts";
import { sentencesOf } from "../../src/language/sentences.ts";
import { stem } from "../../src/language/porter-stem.ts";
import { termsOf } from "../../src/language/terms.ts";

describe("folding", () => {
  it.each([
    ["ＵＳＤＴ", "usdt"],
    ["Café", "cafe"],
    ["提幣到賬時間", "提币到账时间"],
    ["帳戶與錢包", "账户与钱包"],
  ])("%s becomes %s", (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
      { seed: 3 },
    );
  });
});

describe("the language of a text", () => {
  it.each([
    ["BTC 今天怎么样", "zh"],
    ["how is BTC", "en"],
    ["what does the word 合约 mean in the futures market", "en"],
    ["", "en"],
  ])("%s is %s", (text, lang) => {
    expect(detectLanguage(text)).toBe(lang);
  });
});

describe("stems", () => {
  it.each([
    ["withdrawals", "withdraw"],
    ["verification", "verif"],
    ["verified", "verifi"],
    ["liquidated", "liquid"],
    ["trading", "trade"],
    ["status", "status"],
    ["fees", "fee"],
    ["2fa", "2fa"],
  ])("%s → %s", (word, stemmed) => {
    expect([stem(word), stem(stemmed)].includes(stemmed) || stem(word) === stem(stemmed)).toBe(true);
  });
});

describe("terms", () => {
  it("are stems in English, characters and pairs in Chinese", () => {
    expect(termsOf("Closing accounts")).toEqual([stem("closing"), stem("accounts")]);
    expect(termsOf("密码")).toEqual(["密", "密码", "码"]);
  });

  it("are the same for the domain's synonyms", () => {
    expect(termsOf("提币")).toEqual(termsOf("提现"));
    expect(termsOf("两步验证")).toEqual(termsOf("two-factor authentication"));
    expect(termsOf("sign up")).toEqual(termsOf("register"));
  });

  it("read numbers with and without separators alike", () => {
    expect(termsOf("1,000 USDT")).toEqual(termsOf("1000 USDT"));
  });
});

describe("sentences", () => {
  it.each([
    ["One. Two! Three?", ["One.", "Two!", "Three?"]],
    ["第一句。第二句！“第三句？”", ["第一句。", "第二句！", "“第三句？”"]],
    ["The fee is 0.5 USDT. It is fixed.", ["The fee is 0.5 USDT.", "It is fixed."]],
    ["Ask Mr. Smith, e.g. by mail. Thanks.", ["Ask Mr. Smith, e.g. by mail.", "Thanks."]],
    ["1. Open the app. 2. Choose Deposit.", ["1. Open the app.", "2. Choose Deposit."]],
    ["标题\n正文一句", ["标题", "正文一句"]],
    ["Visit https://exchange.example/a.b now. Done.", ["Visit https://exchange.example/a.b now.", "Done."]],
    ["---\n\n…", []],
    ['Choose "Lost it?" on the page. Then wait.', ['Choose "Lost it?" on the page.', "Then wait."]],
    ["点击“无法使用？”入口，提交申请。审核需要一天。", ["点击“无法使用？”入口，提交申请。", "审核需要一天。"]],
    ["See https://x.example/a?b=1 for more.", ["See https://x.example/a?b=1 for more."]],
  ])("of %j", (text, sentences) => {
    expect(sentencesOf(text).map((sentence) => sentence.text)).toEqual(sentences);
  });

  it("are verbatim and lose no letter", () => {
    const letters = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
        const sentences = sentencesOf(text).map((sentence) => sentence.text);
        for (const sentence of sentences) expect(text).toContain(sentence);
        expect(letters(sentences.join(""))).toBe(letters(text));
      }),
      { seed: 11, numRuns: 300 },
    );
  });
});

describe("plain text", () => {
  it("has no HTML and no Markdown", () => {
    const html = '<h2>Fees</h2><p>It costs <b>1&nbsp;USDT</b> &amp; more.<br>See <a href="x">the table</a>.</p>';
    expect(sentencesOf(plainText(html)).map(({ text }) => text)).toEqual([
      "Fees",
      "It costs 1 USDT & more.",
      "See the table.",
    ]);
    expect(plainText("## Fees\n- **one** `x` [two](https://a.example)")).toBe("Fees\none x two");
  });

  it.each(["[", "__a ", "**a ", "<script>", "`", "<a ", "![", "&#", "1. "])("bears a flood of %j", (mark) => {
    const flood = mark.repeat(40_000);
    const started = performance.now();
    sentencesOf(plainText(flood));
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("keeps comparisons and a lone star", () => {
    expect(plainText("margin < 5 and > 1, 2 * 3")).toBe("margin < 5 and > 1, 2 * 3");
  });
});

describe("assets in a text", () => {
  it.each([
    ["比特币和以太坊", ["BTC", "ETH"]],
    ["what about solana", ["SOL"]],
    ["$pepe and ORCH/USDT", ["PEPE", "ORCH"]],
    ["LMX 是什么", ["LMX"]],
    ["how do I do KYC with my ID", []],
    ["the link near the dot", []],
  ])("%s: %j", (text, tickers) => {
    expect([...assetsInQuestion(text)].sort()).toEqual([...tickers].sort());
  });
});
