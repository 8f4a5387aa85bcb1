import type { RouteSeeds } from "./seed.ts";

/** Questions that the platform's announcements answer. */
export const NOTICE_SEEDS = {
  latest: {
    zh: `最新公告
最近有什么公告
平台今天发了什么公告
有什么新通知
看看官方公告
平台最近有什么消息通知
公告列表
近期重要公告
给我看最新的通知
官方最新声明
今天发布了啥公告
平台有没有新公告
有什么通知`,
    en: `latest announcements
any new announcements
what did the platform announce today
show recent notices
official notices
platform announcements this week
is there any new notice
list the latest announcements
recent official statements from the exchange
anything new announced
latest notices
any notices today
what did the exchange announce recently`,
  },
  listing: {
    zh: `最近上线了什么新币
新币上线公告
什么时候上线SOL
今天有新币上架吗
哪些币要上线
即将上币
新上的交易对有哪些
SUI什么时候可以交易
下周上什么币
最近上架了哪些代币
新增了什么交易对
PEPE开放交易时间
新币首发公告
合约新上线的币种
最近有上新吗
上了哪些新币
ORCH上线了吗
有哪些新交易对`,
    en: `what new coins were listed
new listing announcement
when will SOL be listed
which tokens are coming soon
any new listings today
recently added trading pairs
when does trading open for the new token
upcoming listings
which coins did you list this week
new perpetual contracts listed
is PEPE listed yet
listing schedule
when can I start trading the new coin
token launch announcement
any new tokens added
has ORCH been listed
what was listed recently
newly added coins`,
  },
  delisting: {
    zh: `哪些币要下架
最近有什么币下线
下架公告
我的币被下架了怎么办
LUNA什么时候下架
要退市的代币
哪些交易对会被移除
下线的币什么时候停止提币
停止交易的币种
有币种退市通知吗
交易对下线时间
有没有要下架的币
哪些币被摘牌`,
    en: `which coins are being delisted
delisting announcement
will LUNA be removed
tokens to be delisted
which trading pairs will be removed
when does trading stop for the delisted token
my coin was delisted what now
last day to withdraw a delisted coin
pairs going offline
upcoming delistings
coins removed from the exchange
which pairs get delisted
is any token being removed`,
  },
  maintenance: {
    zh: `系统维护什么时候结束
今天有维护吗
什么时候停机升级
钱包维护公告
为什么暂停充提
以太坊网络升级期间可以提币吗
暂停充值的币种
维护时间
平台升级要多久
APP打不开是不是在维护
恢复提币了吗
什么时候恢复充值
服务器升级通知
暂停提现公告
TIDE为什么暂停充值了
现在能提ETH吗还在维护吗
以太坊升级期间充提怎么安排
哪些币暂停充提
撮合系统升级完了吗`,
    en: `when does the maintenance end
is there any maintenance today
scheduled system upgrade
wallet maintenance notice
why are deposits suspended
are withdrawals paused for the network upgrade
maintenance window
how long will the downtime be
is the platform down for maintenance
when will withdrawals resume
which deposits are suspended
have deposits been reopened
planned outage
server upgrade announcement
why are TIDE deposits suspended
is the wallet under maintenance
is ETH withdrawal open during the upgrade
which coins have paused deposits
is the engine upgrade finished`,
  },
  activity: {
    zh: `最近有什么活动
现在有什么福利活动
交易大赛怎么报名
有空投活动吗
新人活动奖励
活动规则是什么
本周有哪些优惠
交易赛什么时候结束
怎么参加空投
充值送币活动
活动奖励什么时候发放
有没有手续费减免活动
节日活动
抽奖活动在哪里参加
有空投可以领吗
理财加息活动
这个月有交易赛吗`,
    en: `what promotions are running
current campaigns
how do I join the trading competition
is there an airdrop
new user bonus event
rules of the campaign
when does the trading contest end
how can I take part in the airdrop
deposit bonus promotion
when are campaign rewards paid
zero fee promotion
any events this week
lucky draw event
giveaway details
can I claim an airdrop now
any trading competition this month
extra interest promotion`,
  },
  rules: {
    zh: `最近规则有什么调整
手续费调整公告
杠杆倍数调整通知
用户协议更新了什么
保证金规则变更
合约风险限额调整
服务条款变更通知
最小下单量调整公告
哪些地区不再提供服务
费率什么时候调整
资金费率结算周期变更
平台政策变化
价格精度调整
提现手续费下调了吗
手续费有变化吗
最近费率降了吗`,
    en: `what rules changed recently
fee adjustment announcement
leverage limit change notice
what was updated in the terms of service
margin requirement changes
risk limit adjustment of contracts
changes to the user agreement
tick size adjustment
which regions are no longer served
when do the new fees take effect
funding interval change announcement
policy update
change of minimum order size
was the withdrawal fee lowered
did the fees change
has the minimum changed recently`,
  },
} as const satisfies RouteSeeds;
