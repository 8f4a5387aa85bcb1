import type { RouteSeeds } from "./seed.ts";

/** Questions that the news feed answers. */
export const NEWS_SEEDS = {
  latest: {
    zh: `今天有什么新闻
最新的加密货币新闻
币圈今天发生了什么
最近的行业资讯
给我看看快讯
有什么大新闻
加密市场头条
区块链最新消息
这周币圈大事
最新资讯
今日要闻
昨天晚上有什么新闻
有没有什么重要新闻
总结一下今天的新闻
币圈有啥大事
今日快讯
今天的重要新闻有哪些
早报
最近有什么值得关注的消息`,
    en: `what's the latest crypto news
today's news
what happened in crypto today
show me the headlines
recent industry news
any breaking news
top stories this week
latest blockchain news
give me a news summary
what is new in the crypto world
news from last night
important news today
crypto headlines
brief me on the news
what's new in crypto
what should I know today
morning brief
what did I miss in crypto
anything important happening in crypto`,
  },
  symbol: {
    zh: `比特币有什么新闻
BTC最新消息
以太坊最近怎么了
ETH有什么利好
SOL最近发生了什么
关于XRP的新闻
狗狗币最新动态
BNB有什么消息
USDT出什么事了
ADA最近的资讯
最近跟以太坊有关的新闻
比特币为什么跌了
BTC为什么涨
SOL今天为什么大跌
瑞波币的消息
BTC最近有啥消息
以太坊这两天的新闻
ORCH的新闻
比特币最近的走势新闻
ARB出什么事了`,
    en: `news about bitcoin
latest BTC news
what happened to ethereum
any news on SOL
XRP updates
what's going on with dogecoin
BNB headlines
is there news about USDT
recent cardano stories
why did bitcoin drop
why is ETH up today
why is SOL falling
what moved the price of bitcoin
tell me the latest on solana
AVAX news today
what's happening with solana
stories on ETH
news for ARB
anything new about bitcoin
what is going on with BNB lately`,
  },
  topic: {
    zh: `比特币ETF有什么进展
美联储加息对币圈的消息
监管方面有什么新闻
有哪个交易所被黑了
DeFi最近的新闻
黑客攻击事件
SEC起诉的最新消息
稳定币监管新闻
矿工最近有什么动态
以太坊升级进展
NFT市场新闻
机构买入比特币的消息
香港加密政策的新闻
最近的融资新闻
跨链桥被攻击是怎么回事
黑客攻击发生了什么
ETF最近的资金流入情况
美联储会议说了什么
美联储纪要
最近有哪些安全事件
钱包漏洞事件
稳定币供应量变化
哪个项目被盗了
交易所破产的消息`,
    en: `what is the latest on the bitcoin ETF
news about the fed rate decision
regulation news
which exchange was hacked
recent DeFi news
news on the hack
latest on the SEC lawsuit
stablecoin regulation stories
what are miners doing lately
progress of the ethereum upgrade
NFT market news
news about institutions buying bitcoin
crypto policy in hong kong
recent funding rounds in crypto
what happened to the bridge
what did the fed say
fed minutes
ETF inflows
recent security incidents
which security incidents happened
wallet exploit story
how large were the ETF flows
stablecoin supply
who was hacked recently
what happened to the exchange that collapsed`,
  },
} as const satisfies RouteSeeds;
