import { describe, expect, test } from "vitest";
import { clusterHeadlines } from "../../../src/news/topics/cluster.ts";
import { indexNeighbours } from "../../../src/news/topics/neighbours.ts";
import { detectLanguage } from "../../../src/language/detect-language.ts";
import { assetsInNews } from "../../../src/language/assets.ts";
import { type Headline, HeadlineMemory } from "../../../src/news/topics/headline-memory.ts";
import { vectorsOf } from "../../../src/news/topics/term-vectors.ts";
import { HOUR, NOON } from "../world.ts";

const told = (title: string, at = NOON, summary = ""): Headline => ({
  title,
  summary,
  at,
  lang: detectLanguage(title, "en"),
  assets: assetsInNews(title),
});

/** What else is in the news, so that rare words are rare. */
const OTHERS = [
  "Ministry publishes a report on harvests",
  "Heavy rain delays ferries along the northern coast",
  "Museum returns bronze statues after a century",
  "央行公布支付系统年度报告",
  "航空公司增开冬季航线",
  "大学发布量子计算研究成果",
].map((title) => told(title));

/** The groups of more than one, as titles. */
async function stories(headlines: readonly Headline[]): Promise<string[][]> {
  const all = [...headlines, ...OTHERS];
  const groups = await clusterHeadlines(all);
  return groups
    .filter((group) => group.length > 1)
    .map((group) => group.toSorted((a, b) => a - b).map((index) => all[index]!.title));
}

const BRIDGE = [
  "Attacker drains about $87 million from Tidepool cross-chain bridge",
  "Tidepool exploit: what we know about the $87M theft",
  "跨链桥 Tidepool 遭攻击，损失约 8700 万美元",
];
const MERGER = [
  "Ridgeline Mining and Cobalt Hash merge in a $2.3 billion deal",
  "Ridgeline Mining, Cobalt Hash merge in $2.3 billion deal",
];

describe("clusters", () => {
  test("put the reports of one event together, Chinese and English", async () => {
    const headlines = [...BRIDGE, ...MERGER].map((title) => told(title));
    expect(await stories(headlines)).toEqual([BRIDGE, MERGER]);
  });

  test("join two languages by number and ticker alone", async () => {
    const titles = [
      "Spot bitcoin ETFs take in a record $1.42 billion in one day",
      "比特币现货 ETF 单日净流入 14.2 亿美元，创纪录",
    ];
    expect(await stories(titles.map((title) => told(title)))).toEqual([titles]);
  });

  test("keep the same event of another month apart", async () => {
    const titles = ["Ethereum gas fee falls to the lowest level", "Ethereum gas fee falls to a low level again"];
    expect(await stories(titles.map((title) => told(title)))).toEqual([titles]);
    expect(await stories([told(titles[0]!), told(titles[1]!, NOON - 240 * HOUR)])).toEqual([]);
  });

  test("keep different events of one asset apart", async () => {
    const titles = [
      "Bitcoin mining difficulty hits a record",
      "Pension fund adds bitcoin to its portfolio",
      "比特币网络手续费创年内新低",
    ];
    expect(await stories(titles.map((title) => told(title)))).toEqual([]);
  });

  test("do not depend on the order of what they read, and repeat exactly", async () => {
    const headlines = [...BRIDGE, ...MERGER].map((title) => told(title));
    const sorted = (groups: string[][]): string[][] => groups.map((group) => group.toSorted()).sort();
    const once = await stories(headlines);
    expect(await stories(headlines)).toEqual(once);
    expect(sorted(await stories(headlines.toReversed()))).toEqual(sorted(once));
  });

  test.each([
    ["the opposite", "Ether ETFs log $210 million of net inflows", "Ether ETFs log $210 million of net outflows"],
    ["another exchange", "币安将上线WREN代币", "OKX将上线WREN代币"],
    ["another name", "VanEck files for a staked ether fund", "Invesco files for a staked ether fund"],
    ["another quarter", "腾讯第二季度净利润同比增长17%", "腾讯第三季度净利润同比增长17%"],
    ["another amount", "Tether增发10亿枚USDT", "Tether增发20亿枚USDT"],
    ["another company", "小米汽车与宁德时代签署电池供应协议", "小米汽车与中创新航签署电池供应协议"],
    ["another rating", "Moody's upgrades Kenya's credit rating", "Moody's downgrades Kenya's credit rating"],
    ["another direction", "Unemployment rate rises to 4.4%", "Unemployment rate falls to 4.2%"],
    ["another decision", "MAS grants licence to Peridot", "MAS revokes licence of Peridot"],
    ["another vote", "Shareholders back Lorne-Tavish merger", "Shareholders vote down Lorne-Tavish merger"],
    ["another carmaker and figure", "理想汽车9月交付3.4万辆", "小鹏汽车9月交付4.1万辆"],
    ["another partner", "Aave integrates Chainlink feeds", "Aave integrates Pyth feeds"],
    ["another court of one country", "东京地方法院驳回Sorrel破产申请", "大阪地方法院驳回Sorrel破产申请"],
    ["another step of a law", "Senate passes market structure bill", "Senators introduce market structure bill"],
    ["a denial", "Reports say Brill weighs sale of chip unit", "Brill denies plan to sell chip unit"],
    ["a return to work", "Dock workers walk out at Hamburg port", "Dock workers return to work at Hamburg port"],
    ["a return of what was stolen", "Lender Tannic hacked for $22 million", "Tannic hacker returns $22 million"],
    ["roles", "Calder Foods sues rival Northam over recipe", "Northam sues rival Calder Foods over recipe"],
    ["another product", "Anker recalls PowerCore 13 over fire risk", "Anker recalls PowerCore 20 over fire risk"],
    ["another court", "华东地区：临川法院受理恒业集团重整申请", "华东地区：宁远法院受理恒业集团重整申请"],
    ["another day", "经贸磋商首日会谈在日内瓦举行", "经贸磋商第二日会谈在日内瓦举行"],
    ["an opening", "盒仓超市临川店今日开业", "盒仓超市临川店今日停业"],
    ["the end of a plan", "Brill plans to buy the Sorrel refinery", "Brill drops plan to buy the Sorrel refinery"],
    ["a measure that is lifted", "Canada imposes surtax on Chinese cars", "Canada lifts surtax on Chinese cars"],
    [
      "another version",
      "Ethereum client Tarn ships v1.15.3 to fix sync bug",
      "Ethereum client Tarn ships v1.15.4 to fix sync bug",
    ],
    ["another round", "砾石科技完成C轮融资", "砾石科技完成D轮融资"],
    ["another region", "临川国中部发生地震", "临川国南部发生地震"],
    ["another instance", "一审判决恒业赔偿车主112万元", "二审维持原判，恒业须赔偿车主112万元"],
    ["a launch that is called off", "Orlen Space launches 28 satellites", "Orlen Space scrubs launch of 28 satellites"],
    ["another club", "Arsenal sign Danish striker on loan", "Chelsea sign Danish striker on loan"],
    ["another laboratory", "月之暗面完成5亿美元新一轮融资", "阶跃星辰宣布获新一轮融资，金额约5亿美元"],
    ["another multiple", "Brill's profit doubles in third quarter", "Brill's profit triples in third quarter"],
    ["another multiple", "晨光科技营收翻倍", "晨光科技营收增长两倍"],
    ["another share", "晨光科技裁员一成半", "晨光科技裁员一成"],
    ["an equal share of another figure", "恒业集团净利润增长两成", "恒业集团派息增加20%"],
    ["an equal share of another figure", "Li Auto's revenue falls 20%", "Li Auto's deliveries fall 20%"],
    ["a first day of trading", "Brill prices IPO at $32 a share", "Brill shares jump 40% in debut"],
    ["a sequel", "交易所Arbory热钱包失窃4400万美元", "交易所Arbory找回全部4400万美元失窃资产"],
  ])("keep %s apart, though the words are the same", async (_, a, b) => {
    expect(await stories([told(a), told(b)])).toEqual([]);
  });

  /** Short titles, few others: a word that is common in the language is rare among them. */
  test.each([
    ["a verb", ["New Zealand cuts cash rate", "Target cuts outlook", "Pfizer cuts costs", "人寿调降预定利率"]],
    ["a verb", ["Court in London rejects Craig Wright appeal", "Judge rejects Trump tariff request"]],
    ["an object", ["House passes crypto market structure bill", "Thailand approves casino bill"]],
    ["an actor", ["Kraken files for IPO", "Kraken acquires NinjaTrader", "Kraken to list Monad token"]],
    ["an actor", ["Amazon Q3 profit rises 38% on cloud growth", "Amazon to invest $50 billion in AI for government"]],
    ["a country", ["Turkey inflation slows to 32%", "Moody's downgrades Turkey credit rating"]],
    ["a country", ["韩国拟修订虚拟资产法", "South Korean president visits China"]],
    ["an exchange", ["币安上线PLUME", "币安获阿布扎比牌照", "币安任命何一为联席CEO"]],
    ["a regulator", ["Ripple loses appeal against SEC", "SEC Chairman Gary Gensler will resign"]],
  ])("do not join titles that share no more than %s", async (_, titles) => {
    expect(await stories(titles.map((title) => told(title)))).toEqual([]);
  });

  test("take up no title that shares only a word or an actor with most members", async () => {
    const recall = [
      "Tesla recalls 130,000 Model Y vehicles over steering fault",
      "特斯拉召回13万辆Model Y，转向系统存隐患",
      "Steering defect prompts Tesla to recall 130,000 SUVs",
    ];
    const titles = [...recall, "OpenAI releases new model", "Tesla opens showroom in Riga"];
    expect(await stories(titles.map((title) => told(title)))).toEqual([recall]);
  });

  test.each([
    ["Gold hits record above $4,500", "Bullion climbs past $4,500 to all-time high"],
    ["Attacker drains $87 million from Tidepool bridge", "Tidepool bridge drained of $87 million by attacker"],
    ["Ford recalls 200,000 trucks over brakes", "福特因刹车问题召回20万辆皮卡"],
    ["小鹏汽车9月交付4.2万辆", "小鹏公布9月交付量：41581辆"],
    ["美联储宣布加息25个基点", "美联储加息25个基点，符合预期"],
    ["TSMC to build second plant in Kumamoto", "台积电将在熊本建第二工厂"],
    ["Kraken to delist Orbit token next week", "Orbit token to be removed from Kraken on Tuesday"],
    ["Halden tests cargo drones at Brennick campus", "Halden trials cargo drones on Brennick campus"],
    ["紐西蘭央行升息一碼", "新西兰联储加息25个基点"],
    ["Hungary's central bank leaves base rate at 6.5%", "Budapest policymakers keep key rate steady at 6.50%"],
  ])("join what is said in other words: %s", async (a, b) => {
    expect(await stories([told(a), told(b)])).toEqual([[a, b]]);
  });

  test.each([
    ["某地址转移十万枚SOL，来源不明", "Address of unknown origin moves 100k SOL"],
    ["挪威央行加息25个基点", "Norway's central bank raises rates by a quarter point"],
    ["挪威央行加息50个基点", "挪威央行加息半个百分点"],
    ["晨光科技裁员一成半", "晨光科技裁员15%"],
    ["塔恩交易所手续费打七折", "塔恩交易所手续费降低30%"],
  ])("join quantities in any notation: %s", async (a, b) => {
    expect(await stories([told(a), told(b)])).toEqual([[a, b]]);
  });

  test.each([
    ["金融监管总局：万能险结算利率不得高于3%", "监管要求万能险结算利率不得高于3%"],
    ["教育部：中小学不得布置超纲作业", "官方要求中小学不得布置超纲作业"],
    [
      "FDA: drugmakers must label opioid patches by June",
      "Regulators say drugmakers must label opioid patches by June",
    ],
    ["易诚基金旗下三只产品提前结束募集", "易诚基金三只新产品提前结束募集"],
    ["青禾农业旗下四家工厂停产检修", "青禾农业四家大工厂停产检修"],
  ])("join titles that differ in attribution or by additions: %s", async (a, b) => {
    expect(await stories([told(a), told(b)])).toEqual([[a, b]]);
  });

  test.each([
    ["教育部：中小学不得布置超纲作业", "卫健委：中小学不得布置超纲作业"],
    ["三只消费基金提前结束募集", "五只消费基金提前结束募集"],
    ["东江省高考分数线公布", "西江省高考分数线公布"],
    ["交易所上线农产品期货合约", "交易所下架农产品期货合约"],
  ])("keep titles apart in which something is replaced: %s", async (a, b) => {
    expect(await stories([told(a), told(b)])).toEqual([]);
  });

  test("put the most central report first", async () => {
    const titles = [
      "Tidepool theft: $87 million gone",
      "Attacker drains $87 million from Tidepool bridge",
      "Tidepool bridge drained of $87 million by attacker",
    ];
    const [first] = await clusterHeadlines([...titles.map((title) => told(title)), ...OTHERS]);
    expect(first).toHaveLength(3);
    expect(first![0]).not.toBe(0);
  });

  test("bear nothing, one headline and headlines without a word", async () => {
    expect(await clusterHeadlines([])).toEqual([]);
    expect(await clusterHeadlines([told("x")])).toEqual([[0]]);
    expect(await clusterHeadlines([told("!!!"), told("???")])).toEqual([[0], [1]]);
  });

  test("end a step for each headline and merge, so that other work may run", async () => {
    const headlines = Array.from({ length: 300 }, (_, n) =>
      told(`Company ${n % 30} reports item ${n} of list ${n % 7}`),
    );
    let steps = 0;
    const clusters = await clusterHeadlines(headlines, () => {
      steps += 1;
      return undefined;
    });
    expect(steps).toBe(3 * headlines.length - clusters.length);
  });
});

test("the terms of a long summary are bounded, those of the title come first", async () => {
  const summary = Array.from({ length: 500 }, (_, n) => `word${n}`).join(" ");
  const [long, short] = await vectorsOf(
    [told("Ferries return", NOON, summary), told("Ferries return")],
    () => undefined,
  );
  expect(long!.vector.terms).toHaveLength(64);
  expect(Array.from(long!.vector.terms)).toEqual(expect.arrayContaining(Array.from(short!.vector.terms)));
});

test("a point's neighbours are those that share what is rare", async () => {
  const memory = new HeadlineMemory();
  const points = await vectorsOf(
    [...BRIDGE, ...MERGER].map((title) => told(title)),
    () => undefined,
    memory,
  );
  const nearest = indexNeighbours(points, memory.terms());
  const indices = (place: number): number[] => nearest(place).map((neighbour) => neighbour.index);
  expect(indices(0).sort()).toEqual([1, 2]);
  expect(indices(3)).toEqual([4]);
});
