import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assetsInNews, assetsInQuestion } from "../../src/language/assets.ts";
import { detectLanguage, hasHan, nearestLanguage } from "../../src/language/detect-language.ts";
import { fold, stem } from "../../src/language/tokenize.ts";
import { plainLine, plainText, shorten } from "../../src/language/plain-text.ts";
import { quantitiesInDigits, quantitiesOf } from "../../src/language/quantities.ts";
import { sentencesOf } from "../../src/language/sentences.ts";
import { headlineTermsOf } from "../../src/language/terms.ts";
import { toSimplified } from "../../src/language/traditional.ts";

describe("folding", () => {
  it.each([
    ["ＵＳＤＴ", "usdt"],
    ["Café", "cafe"],
    ["提幣到賬時間", "提币到账时间"],
    ["帳戶與錢包", "账户与钱包"],
    ["民衆爲産品顔色錄影証明", "民众为产品颜色录影证明"],
  ])("%s becomes %s", (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it("reads characters by their compatibility forms, in lower case, without marks and simplified", () => {
    const byForms = (text: string): string => {
      const lower = text.normalize("NFKC").toLowerCase().normalize("NFD");
      return lower.replace(/\p{M}+/gu, "").normalize("NFC");
    };
    const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    for (const suffix of ["", "字", "字é"]) {
      const unlike = all.filter((one) => {
        const read = byForms(one + suffix);
        return fold(one + suffix) !== (hasHan(read) ? toSimplified(read) : read);
      });
      expect(unlike).toEqual([]);
    }
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

describe("terms of headlines", () => {
  it("are the same in both languages for concepts, quantities and assets", () => {
    const keys = (text: string): string[] => Array.from(headlineTermsOf(text, ["BTC"]).keys());
    const shared = ["$BTC", "#5.0e-1%", "@fed", "@rate-cut"];
    expect(keys("Bitcoin rises as the U.S. Fed cuts rates by 0.5%")).toEqual(
      expect.arrayContaining([...shared, "@us"]),
    );
    expect(keys("美国美联储降息 0.5%，比特币上涨")).toEqual(expect.arrayContaining([...shared, "@us"]));
  });

  it("hold no stop words, each term once", () => {
    expect(Array.from(headlineTermsOf("The new report: miners mine, and mining goes on", []).keys())).toEqual([
      "@mining",
      "@miner",
      "miner",
      "mine",
    ]);
  });
});

describe("names in Taiwan's wording", () => {
  it.each([
    ["紐西蘭", "新西兰"],
    ["沙烏地阿拉伯", "沙特"],
    ["普丁", "普京"],
    ["道瓊", "道琼斯"],
    ["晶片", "芯片"],
    ["人工智慧", "人工智能"],
    ["以太幣", "以太坊"],
    ["匯豐", "汇丰"],
    ["川普", "特朗普"],
  ])("%s and %s are one concept or asset", (one, other) => {
    const keys = (text: string): string[] =>
      Array.from(headlineTermsOf(text, assetsInNews(text)).keys()).filter((key) => /^[@$]/.test(key));
    expect(keys(one).filter((key) => keys(other).includes(key))).not.toEqual([]);
  });
});

describe("quantities in words", () => {
  it.each([
    ["裁员两成", "裁员 20%"],
    ["Solana两成", "Solana 20%"],
    ["裁员一成半", "裁员 15%"],
    ["同比增两成六", "同比增 26%"],
    ["裁撤三成员工", "裁撤 30%员工"],
    ["七成交易来自亚洲", " 70%交易来自亚洲"],
    ["会员费打八五折", "会员费打 15%折"],
    ["手续费打7折", "手续费打 30%折"],
    ["加息半个百分点", "加息50 bps"],
  ])("%s becomes %s", (text, inDigits) => {
    expect(quantitiesInDigits(text)).toBe(inDigits);
  });

  it.each(["最大平台之一成为", "一成不变", "两成员国", "前三成交额", "三折叠手机", "第一折"])("%s has none", (text) => {
    expect(quantitiesInDigits(text)).toBe(text);
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
    expect(sentencesOf(text)).toEqual(sentences);
  });

  it("are verbatim and lose no letter", () => {
    const letters = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
        const sentences = sentencesOf(text);
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
    expect(sentencesOf(plainText(html))).toEqual(["Fees", "It costs 1 USDT & more.", "See the table."]);
    expect(plainText("## Fees\n- **one** `x` [two](https://a.example)")).toBe("Fees\none x two");
  });

  it.each([
    "[",
    "__a ",
    "**a ",
    "*a ",
    " _a",
    "~~a ",
    "a_",
    "``a",
    "` ``",
    "```a\n",
    "~~~\n",
    "\\",
    ":::",
    "> ",
    "[a][",
    "[^",
    "<a@",
    "<script>",
    "`",
    "<a ",
    "![",
    "&#",
    "1. ",
  ])("bears a flood of %j", (mark) => {
    const flood = mark.repeat(40_000);
    const started = process.cpuUsage();
    sentencesOf(plainText(flood));
    expect(process.cpuUsage(started).user).toBeLessThan(10_000_000);
  });

  it.each([
    ["Install *Coldbox Desk* as a _gift_ for __3 EUR__.", "Install Coldbox Desk as a gift for 3 EUR."],
    ["The ***ribbon*** is **very _blue_**, *a **b** c*", "The ribbon is very blue, a b c"],
    ["打开*我的订单*，选择**退货**。", "打开我的订单，选择退货。"],
    ["(*My orders > Invoice*)", "(My orders > Invoice)"],
    ["_use my_file now_ and **both\nlines**", "use my_file now and both\nlines"],
    ["It costs ~~89 EUR~~ 79 EUR.", "It costs 79 EUR."],
    ["Price 2\\*3 EUR\\", "Price 2*3 EUR"],
    ["\\# one \\_two\\_ \\[three](4)\n\\- five", "# one _two_ [three](4)\n- five"],
    ["At most 120 characters[^1].\n\n[^1]: Without emoji.", "At most 120 characters.\n\nWithout emoji."],
    [":::note\nOne more day.\n:::\n:::tip[Hint] {x}\n> [!NOTE]\n> ## Two", "\nOne more day.\n\nHint {x}\n\nTwo"],
    [
      "See [the *gift* page][gift], [gift][], [1][2].\n[gift]: https://x.example/a_b_c 'x'",
      "See the gift page, gift, [1][2].\n",
    ],
    ["[注意]: 请勿分享。", "[注意]: 请勿分享。"],
    ["See <https://x.example/gift_a_> or <help@x.example>.", "See https://x.example/gift_a_ or help@x.example."],
    ["* [x] Card with *own* text\n1. [ ] Balloon", "Card with own text\n1. Balloon"],
    ["[![a](b.png)](https://x.example) ![c][d]", "a c"],
    ["Run `a * b *c* \\*`, ``x`y``.", "Run a * b *c* \\*, x`y."],
    ["a\n```sh\n# no *mark* ~~x~~\n- y\n```\n*b*", "a\n# no *mark* ~~x~~\n- y\n\nb"],
    ["~~~\n*a*", "*a*"],
    ["````\n*a*\n````\n```*b*```", "*a*\n\n*b*"],
  ])("has no Markdown: %j", (text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  it.each([
    "margin < 5 and > 1, 2 * 3",
    "2 * 3 * 4, 2*3*4 and price*amount*rate",
    "snake_case_words, a_file_name.txt, __x and _y",
    "dial *100*, or 拨*100*加",
    "5* hotels, *terms apply; (*) required, (*) optional",
    "https://x.example/_a_/b?c=_d_",
    "~5 EUR, ~~ or 3 ~ 4",
    "a [b] [c] (d)",
  ])("keeps %j", (text) => {
    expect(plainText(text)).toBe(text);
  });
});

describe("assets in a question", () => {
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

describe("assets in a news text", () => {
  it.each([
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

describe("a name in news that is also a word, a place or a person", () => {
  it.each([
    ["BNB", "Binance Coin falls"],
    ["ALGO", "Algorand deal"],
    ["SOL", "Solana falls 5%"],
    ["AVAX", "Avalanche hacked"],
    ["AVAX", "Avalanche基金会换帅"],
    ["BTC", "大饼突破10万"],
    ["SOL", "Solana validators approve cheaper vote fees"],
    ["SOL", "Solana slides 7% after FTX estate unlocks tokens"],
    ["ADA", "Cardano founder unveils 2027 roadmap"],
    ["ADA", "Cardano price stuck below $1"],
    ["AVAX", "Avalanche mainnet upgrade cuts fees"],
    ["AVAX", "Avalanche gains 12% on tokenised fund launch"],
    ["OP", "Optimism foundation buys back OP"],
    ["OP", "Optimism token rises 9%"],
    ["TRX", "Tron network passes 300 million accounts"],
    ["TRX", "USDT supply on Tron hits a record"],
    ["POL", "Polygon hard fork fixes finality lag"],
    ["APT", "Aptos wallet Petra adds passkeys"],
    ["TIA", "Celestia airdrop claim page spoofed by phishers"],
    ["LINK", "Chainlink oracles go live on Base"],
    ["PEPE", "Pepe coin whale sells $3 million"],
    ["INJ", "Injective staking yield falls"],
    ["LDO", "Lido stakers vote on dual governance"],
    ["DOT", "Polkadot ETF filing gets a date"],
    ["SHIB", "Shiba Inu token burn up 300%"],
  ])("is %s where a word of the trade supports it: %s", (symbol, title) => {
    expect(assetsInNews(title)).toContain(symbol);
  });

  it.each([
    "Avalanche kills two skiers in Alps",
    "Avalanche warning issued for Tyrol",
    "Optimism grows among CEOs",
    "Tron: Ares tops box office",
    "Solana Beach council backs bike lane",
    "Solana Beach市议会支持自行车道",
    "Cardano statue unveiled in Pavia",
    "Polygon shapes found on Mars",
    "Aptos park fire",
    "Celestia Hotel opens",
    "Chainlink fence thefts rise",
    "Pepe the frog creator sues",
    "Hedera helix harms walls",
    "老板又画大饼",
    "马蹄莲花价上涨",
    "Solana Beach train tunnel faces new delay",
    "Javier Solana warns Europe on defence",
    "Janelle Cardano wins county fair bake-off",
    "How Cardano solved the cubic equation",
    "Colorado Avalanche sign goalie to three-year deal",
    "Avalanche buries road in Kashmir, 14 missing",
    "Optimism among German exporters slips",
    "Stocks Rally on Optimism Over Trade Deal",
    "Tron: Legacy composer scores new game",
    "Disney's Tron ride reopens in Orlando",
    "Polygon writer laid off after merger",
    "Aptos High School closes after storm",
    "Cruise ship Celestia runs aground off Crete",
    "Chainlink fencing maker recalls gates",
    "Pepe Reina retires from football",
    "Pepe Jeans files for creditor protection",
    "Venice Lido hotels brace for film festival",
    "Dai-ichi Life lifts profit outlook",
    "Shiba Inu puppies rescued from kennel",
    "Polkadot dresses return to high street",
    "Optimism rises 5% in CEO survey",
    "Aptos man loses wallet in surf",
    "Canon EOS R5 price falls 10%",
  ])("is no asset without support, or where its neighbours make another name of it: %s", (title) => {
    expect(assetsInNews(title)).toEqual([]);
  });

  it.each([
    ["Cardano has a quiet week", "The token trades flat.", [], ["ADA"]],
    ["Cardano has a quiet week", "", ["Crypto"], ["ADA"]],
    ["Cardano has a quiet week", "", ["ADA"], ["ADA"]],
    ["Cardano has a quiet week", "", [], []],
    ["Solana Beach has a quiet week", "The council met.", ["Crypto"], []],
  ])("is supported by the summary and the categories: %s, %s %j", (title, summary, categories, symbols) => {
    expect(assetsInNews(`${title}\n${summary}`, categories)).toEqual(symbols);
  });
});

describe("a quantity is the same in every notation", () => {
  it.each([
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

  it("and a percentage is another quantity", () => {
    expect(quantitiesOf("4.1% and 5 percent")).toMatchObject([
      { value: 4.1, unit: "%" },
      { value: 5, unit: "%" },
    ]);
  });
});

describe("the language of a text or tag", () => {
  it("is read from the script", () => {
    expect(detectLanguage("Tidepool 跨链桥遭攻击", "en")).toBe("zh");
    expect(detectLanguage("The 币 coin is listed on many large exchanges", "zh")).toBe("en");
    expect(detectLanguage("123", "zh")).toBe("zh");
  });

  it.each([
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

describe("a line of plain text", () => {
  it.each([
    ["<p>One</p><p>two &amp; three</p>", "One two & three"],
    ["5 < 6 and 7 > 2", "5 < 6 and 7 > 2"],
    ["<script>alert(1)</script>ok<style>p{}</style>", "ok"],
    ["a<b>b</b>c &#x4e2d;&#25991; &bogus; &#xD800;", "abc 中文 &bogus;"],
    ["<img src=x onerror=alert(1)>x", "x"],
    ["a &rarr; b&shy;c &frac34;", "a → bc ¾"],
    ["a&#150;b &#x80; &amp;#150; AT&amp;amp;T &lt;b&gt;x&lt;/b&gt;", "a–b € – AT&T x"],
    ["&CounterClockwiseContourIntegral; &frac12; &Eacute;", "∳ ½ É"],
    ["<!DOCTYPE html><p>x", "x"],
    ["up &#x202e;kcab &#8294;x\u200f \u009b2J", "up kcab x 2J"],
  ])("of %j is %j", (html, text) => {
    expect(plainLine(html)).toBe(text);
  });

  it("is shortened by whole characters, at a word where one ends", () => {
    expect(shorten("one two three four", 12)).toBe("one two…");
    expect(shorten("😀".repeat(10), 5)).toBe(`${"😀".repeat(4)}…`);
    expect(shorten("short", 10)).toBe("short");
  });
});

it("plain lines have no invisible characters", () => {
  expect(plainLine("Bit\u200dcoin\u00ad \u180ea\u2063b\u206ac 央\u200c行 👨\u200d👩 می\u200cخواهم")).toBe(
    "Bitcoin abc 央行 👨\u200d👩 می\u200cخواهم",
  );
  expect(plainLine("\ufeffa\u200bb\u2060 &#8203;c\u202ed &#65279;e")).toBe("ab cd e");
});
