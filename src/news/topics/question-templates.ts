/** What a question needs to be answerable: one of the concepts of each group, somewhere in the topic's items. */
export interface QuestionTemplate {
  /** Concepts (of `language/lexicon.ts`) that make the event; the first group decides how well the template fits the topic. */
  readonly about: readonly (readonly string[])[];
  /** What the answer is made of: a concept, `amount` (a sum of money or a large number) or `percent`. */
  readonly needs?: readonly string[];
  /** What the subject must be. Default: any. */
  readonly subject?: "asset" | "name" | "place" | "institution";
  /** `{X}` is the subject. */
  readonly en: string;
  readonly zh: string;
}

/** Questions by kind of event, the more particular events first, the more specific questions first. */
export const TEMPLATES: readonly QuestionTemplate[] = [
  ...group([["arrest", "guilty", "charge"]], "name", [
    ["Who was arrested in the {X} case?", "{X}案件中有哪些人被捕？", ["arrest"]],
    ["How much was recovered in the {X} case?", "{X}案件追回了多少资金？", ["amount"]],
    ["What are the charges in the {X} case?", "{X}案件的指控是什么？", ["charge", "guilty"]],
  ]),
  ...group([["depeg"]], undefined, [
    ["Why did {X} lose its peg?", "{X}为什么脱锚？", undefined],
    ["How far did {X} fall?", "{X}最低跌到了多少？", ["amount"]],
    ["What is known about the reserves of {X}?", "{X}的储备情况如何？", ["reserve"]],
  ]),
  ...group([["outage"], ["outage", "sequencer", "resume", "layer2", "exchange"]], undefined, [
    ["What caused the outage of {X}?", "{X}宕机的原因是什么？", undefined],
    ["How long was {X} down?", "{X}中断了多久？", ["amount"]],
    ["What does the outage say about the sequencer of {X}?", "{X}的排序器有什么风险？", ["sequencer"]],
  ]),
  ...group([["shutdown"]], "name", [
    ["Why is {X} shutting down?", "{X}为什么关停？", undefined],
    [
      "What happens to holders of {X} tokens and items?",
      "{X}关停后，持有者会受到什么影响？",
      ["token", "refund", "user"],
    ],
  ]),
  ...group([["hack", "theft", "malicious"]], "name", [
    ["How did the attack on {X} happen?", "{X}是怎么遭到攻击的？", ["flaw", "malicious", "seed", "hack"]],
    ["How much was lost in the {X} attack?", "{X}攻击事件造成了多少损失？", ["amount"]],
    [
      "What is being done to make up for the losses at {X}?",
      "{X}的损失如何追回或赔付？",
      ["refund", "bounty", "freeze"],
    ],
  ]),
  ...group(
    [
      ["merge", "acquire"],
      ["deal", "merge", "mining", "earnings", "exchange"],
    ],
    "name",
    [
      ["What is behind the {X} merger?", "{X}合并的原因是什么？", undefined],
      ["How large is the {X} deal?", "{X}这笔交易的规模有多大？", ["amount"]],
    ],
  ),
  ...group([["options"], ["etf", "fund"]], "asset", [
    ["What was approved for options on {X} ETFs?", "{X} ETF 期权获批了哪些内容？", ["approve"]],
    ["When can options on {X} ETFs start trading?", "{X} ETF 期权什么时候可以交易？", undefined],
  ]),
  ...group([["inflow"], ["etf", "fund"]], "asset", [
    ["How much money flowed into {X} ETFs?", "{X} ETF 流入了多少资金？", ["amount"]],
    [
      "Who is behind the demand for {X} ETFs?",
      "{X} ETF 资金流入的原因是什么？",
      ["institution", "analyst", "fed", "record"],
    ],
  ]),
  ...group([["outflow"], ["etf", "fund"]], "asset", [
    ["How much money left {X} ETFs?", "{X} ETF 流出了多少资金？", ["amount"]],
    ["Why is money leaving {X} ETFs?", "{X} ETF 资金为什么流出？", undefined],
  ]),
  ...group([["minutes"]], "institution", [
    ["What do the minutes of {X} say?", "{X}的会议纪要说了什么？", undefined],
    ["How likely is another rate cut after the minutes of {X}?", "{X}纪要公布后，降息的可能性有多大？", ["rate-cut"]],
    ["How did the crypto market react to {X}?", "加密市场对{X}有何反应？", ["rise", "fall"]],
  ]),
  ...group([["rate-cut", "rate-hike", "rates"]], "institution", [
    ["What does {X} say about interest rates?", "{X}对利率怎么说？", undefined],
    ["What path does {X} see for rates?", "{X}接下来会降息吗？", ["rate-cut"]],
  ]),
  ...group([["difficulty", "hashrate"], ["mining"]], undefined, [
    ["How high is the mining difficulty of {X} now?", "{X}的挖矿难度现在有多高？", ["amount", "percent", "record"]],
    ["What does the higher difficulty mean for {X} miners?", "难度上升对{X}矿工有什么影响？", ["mining"]],
  ]),
  ...group([["upgrade"]], undefined, [
    ["What does the {X} upgrade change?", "{X}升级会带来哪些变化？", undefined],
    ["When does the {X} upgrade reach mainnet?", "{X}升级什么时候在主网激活？", ["mainnet"]],
    ["What must node operators do before the {X} upgrade?", "{X}升级前，节点运营者需要做什么？", ["node", "client"]],
  ]),
  ...group([["tax"]], "place", [
    ["What was decided about the crypto tax in {X}?", "{X}的加密资产税有什么变化？", undefined],
    ["How long is the crypto tax in {X} delayed?", "{X}的加密资产税推迟到什么时候？", ["delay"]],
  ]),
  ...group([["stablecoin"], ["rules", "bill", "regulator"]], "place", [
    ["What do the stablecoin rules in {X} require?", "{X}的稳定币规则有哪些要求？", undefined],
    ["How do issuers see the stablecoin rules in {X}?", "发行方如何看待{X}的稳定币规则？", ["rules"]],
  ]),
  ...group([["rules", "bill", "regulator", "license", "sandbox", "ban"]], "place", [
    ["What do the new rules in {X} change for crypto?", "{X}的新规对加密行业有哪些影响？", undefined],
    [
      "Which step comes next for crypto regulation in {X}?",
      "{X}的加密监管下一步是什么？",
      ["approve", "delay", "sandbox", "bill"],
    ],
  ]),
  ...group([["lawsuit", "court", "fine", "sanction"]], undefined, [
    ["What is the case around {X} about?", "{X}案件的争议是什么？", undefined],
    ["How large is the penalty in the {X} case?", "{X}案件的处罚金额是多少？", ["fine"]],
  ]),
  ...group([["fee"], ["proposal", "fee"]], "name", [
    ["How does {X} share its fees now?", "{X}的费用现在如何分配？", undefined],
    ["What did the vote at {X} decide?", "{X}的投票通过了什么？", ["proposal"]],
  ]),
  ...group([["proposal"]], undefined, [
    ["What did the {X} vote decide?", "{X}的投票通过了什么？", undefined],
    ["What does the {X} vote mean for validators?", "{X}投票结果对验证者有什么影响？", ["validator"]],
  ]),
  ...group([["reserve"], ["audit", "reserve"]], "name", [
    ["What is the reserve ratio of {X}?", "{X}的储备率是多少？", ["percent"]],
    ["How can users verify the reserves of {X}?", "用户如何验证{X}的储备金？", ["user"]],
  ]),
  ...group([["bond"], ["tokenise"]], undefined, [
    ["How large are tokenised Treasuries now?", "代币化美债的规模有多大？", ["amount"]],
    ["Who uses tokenised Treasuries as collateral?", "哪些机构用代币化美债作抵押？", ["collateral"]],
  ]),
  ...group([["nft"]], undefined, [
    ["How far has NFT trading volume fallen?", "NFT 成交额下降了多少？", ["volume", "fall"]],
    ["Who still buys NFTs?", "现在还有谁在买 NFT？", ["user", "low"]],
  ]),
  ...group([["delist"]], undefined, [
    ["When will {X} be delisted?", "{X}什么时候下架？", undefined],
    ["What should holders of {X} do?", "{X}持有者需要做什么？", ["deposit", "withdraw"]],
  ]),
  ...group([["breakout", "rise", "rebound"]], "asset", [
    ["Why is {X} rising?", "{X}为什么上涨？", undefined],
    ["What price did {X} reach?", "{X}涨到了什么价位？", ["amount"]],
    ["What could decide whether {X} keeps rising?", "{X}的涨势能否延续？", ["analyst", "volume", "etf"]],
  ]),
  ...group([["fall", "halve"]], "asset", [
    ["Why is {X} falling?", "{X}为什么下跌？", undefined],
    ["How far has {X} fallen?", "{X}跌了多少？", ["amount", "percent"]],
  ]),
  ...group([["pause"]], undefined, [["Why was {X} suspended?", "{X}为什么暂停？", undefined]]),
  ...group([["launch", "listing"]], "name", [["What has {X} launched?", "{X}推出了什么？", undefined]]),
  ...group([["funding", "ipo"]], "name", [["How much is {X} raising?", "{X}融资了多少？", ["amount"]]]),
];

function group(
  about: QuestionTemplate["about"],
  subject: QuestionTemplate["subject"] | undefined,
  questions: readonly (readonly [en: string, zh: string, needs: readonly string[] | undefined])[],
): QuestionTemplate[] {
  return questions.map(([en, zh, needs]) => ({
    about,
    en,
    zh,
    ...(needs === undefined ? {} : { needs }),
    ...(subject === undefined ? {} : { subject }),
  }));
}

/** How places and institutions of the lexicon are called in a question. */
export const PROPER: Readonly<Record<string, { kind: "place" | "institution"; en: string; zh: string }>> = {
  fed: { kind: "institution", en: "the Federal Reserve", zh: "美联储" },
  ecb: { kind: "institution", en: "the European Central Bank", zh: "欧洲央行" },
  boj: { kind: "institution", en: "the Bank of Japan", zh: "日本央行" },
  boe: { kind: "institution", en: "the Bank of England", zh: "英国央行" },
  pboc: { kind: "institution", en: "the People's Bank of China", zh: "中国人民银行" },
  sec: { kind: "institution", en: "the SEC", zh: "美国证交会" },
  cftc: { kind: "institution", en: "the CFTC", zh: "美国商品期货交易委员会" },
  uk: { kind: "place", en: "the UK", zh: "英国" },
  eu: { kind: "place", en: "the EU", zh: "欧盟" },
  japan: { kind: "place", en: "Japan", zh: "日本" },
  korea: { kind: "place", en: "South Korea", zh: "韩国" },
  china: { kind: "place", en: "China", zh: "中国" },
  hongkong: { kind: "place", en: "Hong Kong", zh: "香港" },
  singapore: { kind: "place", en: "Singapore", zh: "新加坡" },
  russia: { kind: "place", en: "Russia", zh: "俄罗斯" },
  india: { kind: "place", en: "India", zh: "印度" },
  brazil: { kind: "place", en: "Brazil", zh: "巴西" },
  argentina: { kind: "place", en: "Argentina", zh: "阿根廷" },
  turkey: { kind: "place", en: "Turkey", zh: "土耳其" },
  dubai: { kind: "place", en: "Dubai", zh: "迪拜" },
  switzerland: { kind: "place", en: "Switzerland", zh: "瑞士" },
  germany: { kind: "place", en: "Germany", zh: "德国" },
  france: { kind: "place", en: "France", zh: "法国" },
  canada: { kind: "place", en: "Canada", zh: "加拿大" },
  australia: { kind: "place", en: "Australia", zh: "澳大利亚" },
  us: { kind: "place", en: "the US", zh: "美国" },
};
