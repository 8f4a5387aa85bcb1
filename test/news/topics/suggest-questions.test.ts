import { describe, expect, test } from "vitest";
import { detectLanguage } from "../../../src/language/detect-language.ts";
import type { NewsItem } from "../../../src/news/snapshot/projection.ts";
import { quotable } from "../../../src/service/grounded-suggestions.ts";
import { suggestQuestions } from "../../../src/news/topics/suggest-questions.ts";
import { assetsInNews } from "../../../src/language/assets.ts";

const item = (title: string, summary = ""): NewsItem => ({
  id: title,
  title,
  summary,
  url: "",
  source: "s",
  lang: detectLanguage(title, "en"),
  published_at: "2026-11-20T00:00:00.000Z",
  symbols: assetsInNews(`${title} ${summary}`),
  sentiment: "neutral",
});

const ATTACK = [
  item("Attacker drains about $87 million from Tidepool bridge", "A flaw in message checks let the attacker in."),
  item("跨链桥 Tidepool 遭攻击，损失约 8700 万美元", "合约漏洞被利用。"),
  item("Tidepool offers its attacker a bounty"),
];

describe("questions about a topic", () => {
  test("name its subject and its event, in English", () => {
    expect(suggestQuestions(ATTACK[0]!.title, ATTACK, "en")).toEqual([
      "What did Tidepool offer?",
      "What happened with Tidepool?",
      "What do we know about Tidepool?",
    ]);
  });

  test("read a title in Traditional characters like its Simplified form", () => {
    const title = "跨鏈橋 Tidepool 遭攻擊，損失約 8700 萬美元";
    const items = [ATTACK[0]!, item(title), ATTACK[2]!];
    expect(suggestQuestions(title, items, "zh")).toEqual(suggestQuestions(ATTACK[1]!.title, ATTACK, "zh"));
  });

  test.each([
    ["马斯克怒怼OpenAI违约", "OpenAI 怎么了？"],
    ["法官痛斥 Tornado Cash 被滥用", "Tornado Cash 怎么了？"],
    ["用户吐槽Binance宕机", "Binance 怎么了？"],
    ["机构狂吸ETH上涨", "ETH 怎么了？"],
    ["谷歌旗下Waymo遭起诉", "谷歌旗下Waymo 怎么了？"],
    ["德国车企BMW召回30万辆车", "德国车企BMW 怎么了？"],
    ["苹果iPhone销量下滑", "苹果iPhone销量怎么了？"],
    ["星轨 Chain 主网遭攻击", "星轨 Chain 主网怎么了？"],
    ["瑞典11月制造业PMI升至55.1", "瑞典11月制造业PMI 怎么了？"],
    ["AI初创公司Anthropic完成融资", "AI初创公司Anthropic 怎么了？"],
  ])("start at a Latin name that an unlisted verb may stand before: %s", (title, question) => {
    expect(suggestQuestions(title, [item(title)], "zh")).toContain(question);
  });

  test("name its subject and its event, in Chinese", () => {
    expect(suggestQuestions(ATTACK[1]!.title, ATTACK, "zh")).toEqual([
      "跨链桥 Tidepool 遭攻击，损失多少美元？",
      "跨链桥 Tidepool 怎么了？",
      "跨链桥 Tidepool 有什么最新消息？",
    ]);
  });

  test.each([
    ["远岭科技登陆科创板首日大涨180%", "远岭科技做了什么？"],
    ["互联网保险投诉量同比上升三成", "互联网保险投诉量怎么了？"],
    ["暴雨致8人失联 救援力量赶赴现场", "暴雨怎么了？"],
    ["云帆航空跟进下调燃油附加费", "云帆航空做了什么？"],
    ["星河影业吸收合并远山传媒", "星河影业做了什么？"],
    ["教育部下周二公布招生计划", "教育部做了什么？"],
    ["林可欣获聘国家歌剧院艺术总监", "林可欣做了什么？"],
    ["新能源车险亏损收窄", "新能源车险亏损怎么了？"],
  ])("call the subject of %s by its whole words", (title, question) => {
    expect(suggestQuestions(title, [item(title)], "zh")).toContain(question);
  });

  test("do not end a subject inside a word or a name", () => {
    for (const title of ["京东外卖烧钱无度，季度利润蒸发五成", "国际油轮冲破封锁线"])
      expect(suggestQuestions(title, [item(title)], "zh").join()).not.toMatch(/外[做怎有]|冲[做怎有]/);
  });

  test("ask only what the items answer", () => {
    const untold = [item("Hackers attack the Tidepool bridge"), item("Attack hits Tidepool")];
    expect(suggestQuestions(untold[0]!.title, untold, "en").join()).not.toMatch(/How much|made? up/);
  });

  test("call an asset as the items do", () => {
    const rise = [item("比特币受市场关注", "分析师看好。"), item("市场关注比特币")];
    expect(suggestQuestions(rise[0]!.title, rise, "zh")).toEqual(["比特币怎么了？", "比特币有什么最新消息？"]);
    const fund = [item("Tether in talks"), item("Celestia and Tether in talks")];
    expect(suggestQuestions("In talks", fund, "en")[0]).toBe("What happened with Tether?");
  });

  test("find Latin names between Chinese characters", () => {
    const back = [item("阔别两年,Nexo重返美国"), item("加密借贷平台Nexo回归美国市场")];
    expect(suggestQuestions(back[0]!.title, back, "zh")).toEqual(["Nexo 怎么了？", "Nexo 有什么最新消息？"]);
  });

  test.each([
    ["Is Halden losing its grip on lending?", "Is Halden losing its grip on lending?"],
    ["How Halden became a hub", "What happened with Halden?"],
    ["Inside Ana Ruiz's last days at Halden", "What happened with Ana Ruiz?"],
    ["What Ethereum's Halden upgrade changes, and when", "What happened with Halden?"],
    ["Suddenly, Halden is everywhere", "What happened with Halden?"],
    ["Analysis: Halden warms to tokens", "What happened with Halden?"],
    ["Once-mighty Halden seeks $4 billion", "What does Halden seek?"],
    ["Halden, Brightwater explore a card", "What happened with Halden and Brightwater?"],
    ["Two men arrested in Bangkok over scam", "What happened in Bangkok?"],
    ["Hackers drain $120 million from Halden pools", "What happened with Halden?"],
    ["Consumer prices climb again", "What happened with consumer prices?"],
    ["Gold settles higher on fears", "What happened with gold?"],
    ["Crypto market cap tops $4 trillion", "What happened with the crypto market cap?"],
    ["Asian shares slip; yen steadies", "What happened with Asian shares?"],
    ["Halden CEO denies a report", "What did the Halden CEO deny?"],
    ["Halden to power Wyoming's coin", "What happened with Halden?"],
    ["Halden teams up with Brightwater", "Who did Halden team up with?"],
    ["World's largest miner halts work in Texas", "What happened with the world's largest miner?"],
    ["Halden will put $1 billion of reserves into tokens", "What will Halden put into tokens?"],
    ["Halden's Ana Ruiz says funds are safe", "What did Halden's Ana Ruiz say?"],
    ["Sellers walk away from The Harbor", "What happened with The Harbor?"],
    ["Hangzhou police arrest 23 over a scheme", "What happened in Hangzhou?"],
    ["Harbor Cash developer found guilty", "What happened with Harbor Cash?"],
    ["The Fed holds rates", "What happened with the Fed?"],
    ["Magnitude 6.1 quake strikes off Japan", "What happened in Japan?"],
    ["Officers detain three in HALD case", "What happened with HALD?"],
    ["Exclusive: Halden in talks to buy Brightwater unit", "What was Halden in talks to buy?"],
    ["Scoop: Halden in early talks with Brightwater over sale", "What happened with Halden?"],
    ["Halden, Brightwater in talks to add cards", "What were Halden and Brightwater in talks to add?"],
    ["Exclusive - Halden facing class action", "What happened with Halden?"],
    ["Halden set to list on Nasdaq", "Where will Halden list?"],
    ["Ana Ruiz close to settling with a regulator", "What happened with Ana Ruiz?"],
    ["Report: half of Fortune 500 firms plan stablecoins", "What happened with Fortune 500 firms?"],
    ["S&P 500 closes at a record", "What happened with the S&P 500?"],
    ["Halden 2.0 upgrade goes live", "What happened with the Halden 2.0 upgrade?"],
    ["French prosecutors raid Halden offices", "What happened with French prosecutors?"],
    ["French users to be phased out by Halden", "What happened with Halden?"],
    ["DraftKings in discussions with Halden", "What happened with DraftKings?"],
    ["Court in New York hears the case", "What happened in New York?"],
    ["Default rate on US leveraged loans at 1.1%", "What happened in the US?"],
    ["Reuters: Halden to sell its Brightwater stake", "What will Halden sell?"],
    ["Bloomberg reports Halden to sell its Brightwater stake", "What will Halden sell?"],
    ["Bloomberg reports a record profit", "What did Bloomberg report?"],
    ["Halden-backed startup files for bankruptcy", "What happened with the Halden-backed startup?"],
    ["US-led coalition seizes a tanker", "What happened with the US-led coalition?"],
    ["The Bank of England held rates at 4%", "What happened with the Bank of England?"],
    ["Hong Kong Monetary Authority raises base rate", "What happened with the Hong Kong Monetary Authority?"],
    ["Bullion climbs past $4,000", "What happened with bullion?"],
    ["Creditors of Halden pick up another $1.6 billion", "What happened with Halden?"],
    ["Halden chief's appeal comes early", "What happened with Halden?"],
    ["The yen slides 2% as rates hold", "What happened with the yen?"],
  ])("are about the subject of %s, in good English", (title, question) => {
    const items = [item(title), item(title)];
    expect(suggestQuestions(title, items, "en")[0]).toBe(question);
  });

  test.each([
    ["哈尔登还能涨回4000美元吗?", "哈尔登还能涨回4000美元吗？"],
    ["欧洲央行维持利率不变", "欧洲央行做了什么？"],
    ["数据:过去24小时黄金基金持续净流出", "黄金基金怎么了？"],
    ["快讯:鲍威尔称不急于降息", "鲍威尔说了什么？"],
    ["国家统计局:社会消费品零售向好", "国家统计局说了什么？"],
    ["比特币挖矿难度上调", "比特币挖矿难度怎么了？"],
    ["哈尔登突破3美元创七年新高", "哈尔登突破多少美元创七年新高？"],
    ["泽安警方通报一起传销案", "泽安警方说了什么？"],
    ["哈尔登递交泽安所上市文件", "哈尔登做了什么？"],
    ["黄金现货基金单周大幅流出", "黄金现货基金怎么了？"],
    ["泽安虚拟资产平台遭调查", "泽安虚拟资产平台怎么了？"],
    ["泽安法院一审判其合同无效", "泽安法院做了什么？"],
    ["哈尔登谈判破裂", "哈尔登谈判怎么了？"],
    ["泽安股收评：恒生指数普涨", "恒生指数怎么了？"],
    ["独家｜哈尔登考虑上市", "哈尔登做了什么？"],
    ["Halden 第四季度买入 8888 枚比特币", "Halden 第四季度买入多少枚比特币？"],
    ["哈尔登央行近两年来首次降息", "哈尔登央行做了什么？"],
    ["某巨鲸时隔七年再次遭窃", "某巨鲸怎么了？"],
    ["法国检方再次传唤 Halden 创始人", "法国检方做了什么？"],
    ["泽安议员再次质疑 Halden 创始人", "Halden 怎么了？"],
    ["泽安议员致信 Halden 首席执行官", "泽安议员做了什么？"],
    ["泽安选民不同意驻军 Halden", "Halden 怎么了？"],
    ["Halden创始人在纽约获刑", "Halden创始人怎么了？"],
    ["金色财经报道，美国财政部宣布制裁泽安石油公司", "美国财政部做了什么？"],
    ["据彭博社报道，哈尔登遭调查", "哈尔登怎么了？"],
    ["路透：哈尔登遭调查", "哈尔登怎么了？"],
    ["新华社泽安12月1日电，哈尔登遭调查", "哈尔登怎么了？"],
    ["彭博社遭调查，路透跟进", "彭博社怎么了？"],
  ])("are about the subject of %s, in good Chinese", (title, question) => {
    const items = [item(title), item(title)];
    expect(suggestQuestions(title, items, "zh")[0]).toBe(question);
  });

  test.each([
    "Over $1.9 billion wiped out",
    "Nearly three in four are long",
    "Man gets four years",
    "Chinese consumer inflation at 0.8 percent in December",
    "Flat 20 percent tax on profits planned",
    "How a hacker stole $240 million in bitcoin",
    "柳暗花明：停牌一年的公司复牌",
    "监管“北向”扩至平台",
  ])("call nothing in %s a name", (title) => {
    expect(suggestQuestions(title, [item(title), item(title)], detectLanguage(title, "en"))).toEqual([]);
  });

  test("leave out an item that slipped into the topic", () => {
    const title = "Dollar weakens; euro at two-year high";
    const items = [item("Powell: inflation still too high"), item(title)];
    expect(suggestQuestions(title, items, "en")).toEqual([
      "What happened with the dollar?",
      "What do we know about the dollar?",
    ]);
    const zh = ["哈尔登理事沃勒支持12月降息", "【公告】泽安所将于12月5日维护系统"].map((one) => item(one));
    expect(suggestQuestions(zh[0]!.title, zh, "zh").join()).not.toContain("泽安所");
  });

  test("have no period of time in their subject", () => {
    const sold = [item("某巨鲸过去24小时卖出1200枚BTC")];
    expect(suggestQuestions(sold[0]!.title, sold, "zh")).toEqual([
      "某巨鲸过去24小时卖出多少枚BTC？",
      "某巨鲸做了什么？",
      "某巨鲸怎么了？",
    ]);
  });

  test("are none where nothing is named", () => {
    const odd = [item("A quiet week for markets"), item("Markets have a quiet week")];
    expect(suggestQuestions(odd[0]!.title, odd, "en")).toEqual([]);
    expect(suggestQuestions("市场平静的一周。", odd, "zh")).toEqual([]);
  });

  test.each([
    ["What happened to the coins?", "What happened to the coins"],
    ["“We are sorry,” says the founder!", "‘We are sorry,’ says the founder"],
    ['A "quiet" week', "A 'quiet' week"],
    ["他说：“没有风险。”", "他说：‘没有风险’"],
    ["Orchard 通过“费用开关”提案。", "Orchard 通过‘费用开关’提案"],
  ])("quote %s with its own quotation marks single, and no marks at its end", (headline, quoted) => {
    expect(quotable(headline)).toBe(quoted);
  });
});
