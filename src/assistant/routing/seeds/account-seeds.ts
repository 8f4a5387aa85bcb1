import type { RouteSeeds } from "./seed.ts";

/** Questions about the user's own figures. How points work in general is `help/points`. */
export const ACCOUNT_SEEDS = {
  balance: {
    zh: `我还有多少积分
我的积分余额是多少
查一下我的积分
我现在有多少分
积分还剩多少
账户里剩余积分
帮我看看积分余额
我的积分够不够问问题
我的点数还剩几点
查询余额积分
我一共赚了多少积分
我总共花了多少积分
目前积分是多少
看下我有几个积分
我的积分账户
我的账上有积分吗
查积分
积分数量
我有几分`,
    en: `how many points do I have
what is my points balance
show my points
check my balance of points
how many points are left
do I have enough points for another question
my current points
points remaining in my account
tell me my point balance
how many points have I earned so far
how many points did I spend in total
what's my score of points right now
am I out of points
display my points account
balance please
do I still have points
points left on my account
look up my points`,
  },
  quota: {
    zh: `我今天还能免费问几次
今天的免费次数还剩多少
我的免费额度还有吗
每天免费几次我用了几次
剩余免费次数
今日免费额度用完了吗
我今天用了多少次免费提问
查询我的免费提问次数
还有几次免费机会
我的每日额度是多少
今天还可以问几个问题
我还剩多少次提问
免费配额查询
我的提问次数用完了没
我还有免费次数吗
今天的次数用了几次
看看今日剩余提问次数`,
    en: `how many free questions do I have left today
what is my free daily quota
how many free uses have I used today
is my free quota used up
remaining free quota
how much of my daily quota is left
can I still ask for free today
show my quota
how many questions can I ask today
free uses left
my daily limit of free questions
did I use all my free asks
check my free question allowance
quota status
any free questions left for me today
how much of my free allowance did I use
number of free asks remaining`,
  },
  quota_reset: {
    zh: `我的免费次数什么时候重置
额度几点刷新
免费额度什么时候恢复
每日次数何时更新
明天几点可以再免费问
什么时候又有免费次数
配额重置时间
我的额度多久重置一次
下一次重置是几点
免费提问几点清零
次数什么时候补满
今天的额度到几点失效
免费次数几点更新
我什么时候能再免费提问`,
    en: `when does my free quota reset
what time do my free questions renew
when will I get free uses again
next reset time of my quota
when does the daily quota refresh
how long until my quota resets
at what hour does my free limit restart
when is my quota refilled
when can I ask for free again
quota reset time
does my daily allowance reset at midnight
time left before my quota comes back
when do my free uses come back
how soon will my quota refresh`,
  },
  ledger: {
    zh: `我的积分明细
查看积分流水
积分都花到哪里去了
我的积分为什么少了
最近的积分记录
积分账单
为什么扣了我的积分
上一次扣了多少分
积分变动历史
最近一笔积分是什么
我昨天的积分消耗记录
给我看看积分收支
我的积分怎么变少了
这次提问扣了几分
积分使用记录
我的积分突然少了
积分怎么少了10个
谁扣了我的积分
查看扣分明细
上次提问花了多少积分`,
    en: `show my points history
points ledger
where did my points go
why did my points go down
list my recent points transactions
why was I charged points
how many points did my last question cost
my points statement
record of points I earned and spent
what was the last change of my points
points transaction history
who deducted my points
show the latest ledger entries
my points log
why do I have fewer points than yesterday
my points dropped suddenly
list my charges in points
what was I charged for
recent deductions from my points`,
  },
  subscription: {
    zh: `我的会员什么时候到期
我现在是什么套餐
我的订阅状态
我是会员吗
我开通了哪些高级功能
我的订阅还有效吗
查看我的套餐
我能用深度研究吗
我的会员还剩几天
我的订阅过期了没有
我有没有记忆功能
我是免费用户还是付费用户
我的专业版到什么时候
我的Pro什么时候到期
我的套餐还有效吗
我现在是pro吗`,
    en: `what plan am I on
when does my subscription expire
is my subscription active
show my subscription status
am I a pro user
which premium features do I have
do I have advanced research
is memory enabled for my account
am I on the free plan
how long is my membership still valid
my current plan
has my subscription expired
when did my plan start
is my pro plan still active
how long does my pro plan run
do I have a subscription`,
  },
  exchange: {
    zh: `我上次兑换了多少积分
我的兑换记录
我可以用代币兑换积分吗
我要把平台币换成积分
兑换积分
现在兑换比例是多少
一个代币能换多少积分
我想兑换10个代币
帮我换积分
用平台币充积分
积分兑换汇率
我兑换的积分到账了吗
怎样给我的账户兑换积分
10个平台币可以换几分
用5个LMX换积分
我要拿LMX换积分
3个代币换多少积分
兑换得到多少积分`,
    en: `exchange tokens for points
I want to convert my tokens into points
what is the exchange rate of points
how many points do I get for one token
my exchange history
how much did I exchange last time
convert 10 tokens to points
swap platform tokens for points
can I buy points with tokens
did my exchange into points arrive
top up my points with tokens
current token to points rate
redeem tokens for points
how many points for 5 LMX
trade LMX for points
I would like to exchange LMX into points`,
  },
  reward: {
    zh: `我的交易奖励有多少
交易奖励积分到账了吗
我昨天交易得了多少积分
我的交易返积分
查一下我的奖励积分
我做合约拿到多少奖励分
为什么没有收到交易奖励积分
我的现货交易奖励
我的交易奖励在哪里看
交易返的积分怎么没有`,
    en: `how many points did I earn from trading
did my trade reward arrive
my trading rewards
show the points I got for my trades
why did I not receive trade reward points
points earned from my futures trades
my reward points from spot trading
check my trade reward
where are my trade rewards
did I get points for my trades`,
  },
} as const satisfies RouteSeeds;
