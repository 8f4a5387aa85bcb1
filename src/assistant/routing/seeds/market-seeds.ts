import type { RouteSeeds } from "./seed.ts";

/** Questions about the market as a whole, and prices (which the assistant does not have). */
export const MARKET_SEEDS = {
  mood: {
    zh: `市场情绪怎么样
恐惧贪婪指数是多少
现在市场恐慌吗
今天市场偏多还是偏空
大家对市场乐观吗
投资者情绪如何
市场氛围怎么样
现在是牛市还是熊市情绪
恐慌指数
贪婪指数今天多少
舆情偏正面还是负面
整体市场情绪
市场是贪婪还是恐惧
现在大盘情绪
情绪是不是偏悲观`,
    en: `how is the market mood
what is the fear and greed index
is the market fearful right now
market sentiment today
are people optimistic about the market
is sentiment positive or negative
overall sentiment
is the mood bullish or bearish
how do investors feel
fear index
greed level today
what's the vibe of the market
how's the market feeling
are traders scared
mood of the market`,
  },
  hot_topics: {
    zh: `现在有什么热点
今天的热门话题
大家在讨论什么
最热的话题是什么
热搜有哪些
市场热点
近期热门主题
最近什么话题最火
币圈热议
当前热点板块
热点排行
有什么热门事件
大家都在聊啥
现在什么最火
有什么热门板块`,
    en: `what are the hot topics
trending topics today
what is everyone talking about
hottest stories right now
what's trending
market hot spots
top themes this week
what topics are hot in crypto
popular discussions
trending narratives
hot topic ranking
what is buzzing
what's hot
what is hot right now
hot narratives`,
  },
  price: {
    zh: `比特币现在多少钱
BTC价格
以太坊现价
ETH今天涨了多少
SOL行情
现在币价多少
BTC 24小时涨跌幅
查一下DOGE的价格
XRP最新价
比特币今天最高价是多少
行情怎么样
现在1个BTC等于多少USDT
btc多少钱一个
eth现在什么价
多少美元一个比特币
LMX价格`,
    en: `what is the price of bitcoin
BTC price
how much is ethereum now
ETH price today
SOL quote
current price of DOGE
BTC 24h change
how much did XRP rise today
what is bitcoin trading at
today's high of BTC
how many USDT is 1 BTC
live price of ADA
btc price now
how much does one ETH cost
price of LMX
quote for SOL`,
  },
} as const satisfies RouteSeeds;
