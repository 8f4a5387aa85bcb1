import type { RouteSeeds } from "./seed.ts";

/** Questions that the help center answers: how the platform works. */
export const HELP_SEEDS = {
  deposit: {
    zh: `怎么充值
如何充币到账户
充值多久到账
充币没到账怎么办
充错网络了怎么找回
充值地址在哪里
最小充值金额是多少
充值需要几个确认
忘记填memo充值了
怎么把USDT充进来
充值状态一直处理中
支持哪些充值网络
我转的币为什么还没有到
往平台转币的步骤
入金方式有哪些
我转进来的ETH两个小时了还没到
充错链怎么办
充值要等多久
怎么往账户里打币
转币进来选哪个网络`,
    en: `how do I deposit
how to deposit USDT
how long does a deposit take
my deposit has not arrived
I deposited on the wrong network
where is my deposit address
what is the minimum deposit
how many confirmations does a deposit need
I forgot the memo on my deposit
how to add funds to my account
deposit is still pending
which networks can I deposit with
the coins I sent are not credited
steps to fund my wallet
deposit missing tag
I sent ETH but it is not in my account
my transfer to the platform did not show up
deposit address for TRC20
coins sent over the wrong chain
how do I put crypto on the platform`,
  },
  withdrawal: {
    zh: `怎么提币
如何提现到银行卡
提币多久到账
提币没到账
提现手续费多少
提币限额是多少
为什么不能提币
提币被拒绝了
提币地址填错了怎么办
怎么把币转到钱包
提现一直在审核
如何取消提币
24小时提币额度
最小提币数量
怎么添加提币地址白名单
怎样出金
提USDT要收多少手续费
提币一天最多多少
提现卡住了
转币到冷钱包怎么弄
每天最多可以提多少
提现为什么这么慢`,
    en: `how do I withdraw
how to withdraw to my bank
how long does a withdrawal take
my withdrawal has not arrived
what is the withdrawal fee
what is the withdrawal limit
why can't I withdraw
my withdrawal was rejected
I sent my withdrawal to the wrong address
how to move coins to my own wallet
withdrawal is pending review
how do I cancel a withdrawal
daily withdrawal limit
minimum withdrawal amount
add a withdrawal address to the whitelist
cash out my crypto
withdraw limit per day
how much does it cost to withdraw USDT
how much can I take out per day
send bitcoin to a hardware wallet
why is my withdrawal still processing
withdraw to an external address`,
  },
  transfer: {
    zh: `怎么把资金从现货划转到合约
资金划转
内部转账怎么操作
可以转账给其他用户吗
从资金账户转到交易账户
划转需要手续费吗
站内转账多久到
子账户之间怎么转钱
划转失败怎么办
怎么把币从理财转回现货
把币转给平台上的另一个用户
站内给朋友转USDT`,
    en: `how do I transfer funds from spot to futures
transfer between accounts
how does an internal transfer work
can I send coins to another user
move money from funding to trading account
is there a fee for internal transfers
how long does an internal transfer take
transfer between sub accounts
my transfer failed
move coins back from earn to spot
send USDT to a friend on the platform
transfer to another user of the platform`,
  },
  kyc: {
    zh: `怎么做身份认证
实名认证需要什么材料
KYC审核多久
身份认证被拒绝了
为什么要实名
认证失败怎么办
不做KYC能交易吗
高级认证有什么好处
人脸识别不通过
护照可以认证吗
企业认证怎么办理
身份证照片要求
如何修改认证信息
认证等级和限额
护照能认证吗
认证2级要什么资料
为什么我的证件没通过
认证等级有哪些`,
    en: `how do I verify my identity
what documents are needed for KYC
how long does verification take
my identity verification was rejected
why do I need KYC
verification failed what now
can I trade without KYC
benefits of advanced verification
face recognition does not pass
can I verify with a passport
business account verification
photo requirements for ID
how to change my verified information
verification levels and limits
why was my ID rejected
documents for level 2 verification
what are the verification levels
can I use a driving licence for verification`,
  },
  security: {
    zh: `怎么开启谷歌验证
谷歌验证器丢了怎么办
账户被盗了怎么办
如何防钓鱼
怎么设置资金密码
两步验证怎么绑定
收不到短信验证码
怎么更换手机号
发现异常登录
怎么冻结账户
防钓鱼码是什么
如何解绑二次验证
通行密钥怎么设置
我收到可疑邮件
怎样保护账户安全
手机丢了验证器没法用
有人登录了我的账户
账户在陌生地方登录了
谷歌验证怎么解除`,
    en: `how do I enable two factor authentication
I lost my google authenticator
my account was hacked
how to avoid phishing
set a fund password
how do I bind 2FA
I do not receive the SMS code
change my phone number
I see an unknown login
how do I freeze my account
what is an anti-phishing code
how to reset 2FA
how to set up a passkey
I got a suspicious email
how can I keep my account safe
someone logged into my account
I lost my phone with the authenticator
login from another country that was not me
turn on two-factor
remove an old device`,
  },
  login: {
    zh: `怎么注册账号
忘记密码怎么办
无法登录
怎么重置登录密码
如何注销账户
怎么修改邮箱
登录不上去
收不到邮箱验证码
怎么改昵称
注册需要什么
子账户怎么创建
账号被锁定了
怎样删除账号
修改登录密码
密码忘了
登不上去
账户怎么注销
如何注册账户`,
    en: `how do I create an account
I forgot my password
I can't log in
how to reset my login password
how do I close my account
change my email address
login is not working
I do not get the verification email
change my nickname
what do I need to sign up
how to create a sub account
my account is locked
delete my account
change password
I can't sign in to the app
sign in problem
how to register
remove my account for good`,
  },
  fees: {
    zh: `手续费是多少
现货交易手续费怎么算
挂单和吃单费率
合约手续费
怎么降低手续费
用平台币抵扣手续费
资金费率怎么收
费率表在哪里看
maker taker费用
交易费率标准
买卖一次收多少费
手续费折扣
VIP费率是多少
现货taker费率多少
普通用户手续费
买币收多少手续费`,
    en: `what are the trading fees
how are spot fees calculated
maker and taker fees
futures fees
how can I lower my fees
pay fees with the platform token
how is the funding fee charged
where is the fee schedule
what does a trade cost
fee rates
fee discount
VIP fee levels
how much commission do you take
taker fee for spot
maker fee for regular users
how much does paying fees in the token save`,
  },
  spot: {
    zh: `怎么买币
现货交易怎么操作
限价单和市价单的区别
怎么撤单
止盈止损单怎么设置
为什么我的订单没有成交
怎么卖出比特币
最小下单数量
什么是止损限价单
在哪里看历史订单
部分成交是什么意思
冰山委托是什么
如何下单
怎么用USDT买ETH
什么是OCO订单
市价单怎么下
订单一直没成交怎么办
怎么修改挂单`,
    en: `how do I buy coins
how does spot trading work
difference between limit and market order
how do I cancel an order
set take profit and stop loss
why was my order not filled
how do I sell bitcoin
minimum order size
what is a stop limit order
where is my order history
what does partially filled mean
what is an iceberg order
how to place an order
buy ETH with USDT
what is an OCO order
place a market order
stop limit versus OCO
my order is not filling`,
  },
  futures: {
    zh: `合约怎么玩
什么是永续合约
强平价格怎么算
怎么调整杠杆
全仓和逐仓的区别
什么是资金费率
为什么爆仓了
保证金率是什么
怎么平仓
标记价格是什么
合约如何开仓
资金费用多久结算一次
双向持仓怎么设置
什么是自动减仓
合约保证金不足怎么办
U本位和币本位的区别
爆仓的条件是什么
怎么切换逐仓
最多可以开几倍杠杆
资金费多久收一次`,
    en: `how do futures work
what is a perpetual contract
how is the liquidation price calculated
how to change leverage
difference between cross and isolated margin
what is the funding rate
why was I liquidated
what is the margin ratio
how do I close a position
what is the mark price
how to open a futures position
how often is funding settled
how to set hedge mode
what is auto deleveraging
my futures margin is too low
difference between USDT margined and coin margined
switch from cross to isolated
maximum leverage
when does a position get liquidated
how often is funding paid`,
  },
  margin: {
    zh: `杠杆交易怎么借币
杠杆利息怎么算
如何还币
杠杆账户风险率
怎么开通杠杆
借贷利率是多少
质押借币怎么用
杠杆强制还款是什么
抵押率是多少
借款怎么续期
杠杆借款的利息
借USDT利率`,
    en: `how do I borrow for margin trading
how is margin interest calculated
how do I repay a loan
risk level of my margin account
how to enable margin trading
what is the borrowing rate
how do crypto loans work
what is forced repayment
what is the loan to value ratio
extend my loan
interest on a margin loan
margin borrowing limit`,
  },
  api: {
    zh: `怎么创建API密钥
API限频是多少
API签名错误
API文档在哪里
websocket怎么订阅行情
API key绑定IP
接口返回429
API权限设置
怎么用程序交易
忘记API secret怎么办
REST接口地址
API提示时间戳错误
请求太频繁被限制
给机器人建一个api`,
    en: `how do I create an API key
what are the API rate limits
invalid signature from the API
where is the API documentation
how to subscribe to the websocket
bind an IP to my API key
the endpoint returns 429
API permissions
trade with a program
I lost my API secret
REST base url
API timestamp error
too many requests error
create an API key for my bot`,
  },
  earn: {
    zh: `理财产品有哪些
活期理财怎么赎回
质押收益率是多少
定期理财可以提前赎回吗
怎么参与质押
理财收益怎么计算
ETH质押要锁多久
赚币是什么
收益什么时候发放
双币投资是什么
流动性挖矿怎么参加
年化收益怎么算
理财有风险吗
质押赎回要几天
活期和定期有什么区别
Launchpad怎么参加`,
    en: `what earn products are there
how do I redeem flexible savings
what is the staking yield
can I redeem a fixed product early
how do I stake
how is the earn interest calculated
how long is ETH locked in staking
what is simple earn
when are the rewards paid
what is dual investment
how to join liquidity mining
how is APY computed
are earn products risky
flexible versus fixed
how long does unstaking take
how to join a launchpad`,
  },
  p2p: {
    zh: `怎么用人民币买币
C2C交易安全吗
P2P怎么卖币
法币购买USDT
信用卡买币
卖家不放币怎么办
P2P申诉怎么处理
支持哪些支付方式
银行卡被冻结了
快捷买币手续费
怎么绑定银行卡
如何成为商家
对方收了钱不放币
我付款了卖家不放行
用visa卡买USDT`,
    en: `how do I buy crypto with cash
is P2P trading safe
how to sell on P2P
buy USDT with fiat
buy crypto with a credit card
the seller does not release the coins
how does a P2P appeal work
which payment methods are supported
my bank card was frozen
fees for instant buy
link my bank account
become a P2P merchant
I paid but the seller does not release
buy usdt with a visa card
bank transfer deposit of euros`,
  },
  points: {
    zh: `积分是什么
怎么获得积分
积分有什么用
积分会过期吗
一次提问消耗多少积分
积分规则说明
积分怎么赚
交易奖励积分怎么算
积分不足怎么办
免费次数的规则是什么
积分可以提现吗
积分和代币怎么兑换的规则
为什么提问要扣积分
ai积分怎么来的
一天可以免费问几个问题
积分不够了怎么办`,
    en: `what are points
how can I earn points
what can I use points for
do points expire
how many points does a question cost
rules of the points program
how are trade reward points calculated
what happens when points run out
how does the free daily quota work
can points be withdrawn
how does exchanging tokens for points work
why do questions cost points
are points transferable
what do I use points for
how many free questions does everyone get a day
what to do about insufficient points`,
  },
  membership: {
    zh: `会员有什么权益
怎么开通会员
专业版多少钱
订阅和免费版有什么区别
怎么取消订阅
深度研究功能是什么
记忆功能怎么用
如何升级套餐
会员自动续费怎么关
高级功能有哪些
pro套餐有啥好处
Pro包含什么
开通pro要多少钱`,
    en: `what are the benefits of a subscription
how do I subscribe
how much is the pro plan
difference between free and pro
how do I cancel my subscription
what is the advanced research feature
how does memory work
how to upgrade my plan
turn off auto renewal
what do premium plans include
how much does pro cost
what does the pro plan include
is pro worth it for the assistant`,
  },
  vip: {
    zh: `VIP等级怎么升级
VIP有什么特权
怎么成为VIP
VIP等级标准
30天交易量怎么算
做市商计划
VIP等级多久更新
VIP1要多少交易量
升到VIP2需要什么`,
    en: `how do I reach the next VIP level
what privileges do VIP users have
how to become VIP
VIP tier requirements
how is the 30 day volume computed
market maker program
how often is the VIP level updated
volume needed for VIP1
VIP 2 requirements`,
  },
  referral: {
    zh: `怎么邀请好友
邀请返佣比例是多少
邀请码在哪里
返佣什么时候到账
推荐奖励规则
如何填写邀请码
合伙人计划
邀请好友有什么奖励
邀请一个朋友给多少
我的邀请链接`,
    en: `how do I invite friends
what is the referral commission
where is my referral code
when is the commission paid
rules of the referral program
how to enter an invitation code
affiliate program
what do I get for inviting a friend
where is the invite code
how much for each friend I invite`,
  },
  bots: {
    zh: `网格交易怎么设置
什么是跟单交易
怎么跟单
定投机器人怎么用
网格机器人怎么停止
跟单分成比例
怎么成为带单员
策略交易有哪些
网格怎么开
跟单怎么收费`,
    en: `how do I set up grid trading
what is copy trading
how do I copy a trader
how does the DCA bot work
stop my grid bot
profit share in copy trading
how to become a lead trader
which trading bots are there
how does copy trading charge
start a grid`,
  },
  token: {
    zh: `平台币有什么用
持有平台币的好处
平台币总量是多少
平台币怎么销毁
平台币在哪里买
代币经济模型
LMX是什么
LMX有什么用
LMX是什么币`,
    en: `what is the platform token used for
benefits of holding the platform token
total supply of the platform token
how is the platform token burned
where can I buy the platform token
tokenomics
what is LMX
what can I do with LMX
LMX utility`,
  },
  app: {
    zh: `APP在哪里下载
APP闪退怎么办
怎么切换语言
怎么设置价格提醒
页面打不开
如何开启推送通知
怎么切换深色模式
网页版加载很慢
怎么更新客户端
苹果手机怎么安装
怎么切成英文界面
打不开app
手机上怎么装`,
    en: `where can I download the app
the app keeps crashing
how do I change the language
how to set a price alert
the page does not load
turn on push notifications
switch to dark mode
the website is slow
how do I update the app
install on iphone
switch the app to english
app will not open
where is the android version`,
  },
  support: {
    zh: `怎么联系人工客服
转人工
客服电话是多少
我要投诉
客服在线时间
提交工单
怎么反馈问题
人工客服在哪里
客服邮箱
我要找真人客服
我要找人工
有没有真人可以聊`,
    en: `how do I contact support
talk to a human agent
what is the customer service number
I want to complain
support opening hours
submit a ticket
report a problem
where is live chat
support email
connect me to an agent
how can I reach a real person
I need to speak to someone`,
  },
  statements: {
    zh: `怎么下载交易账单
如何导出交易记录
报税需要的文件
资产证明怎么开
年度账单
导出历史成交
税务报告在哪里
查看资产明细
去年的交易流水怎么导出
平台会帮我算税吗`,
    en: `how do I download my trade statement
export my trading history
documents for tax
proof of assets certificate
annual statement
export past trades
where is the tax report
see my asset history
export last year of trades
does the platform calculate my taxes`,
  },
  compliance: {
    zh: `平台有牌照吗
储备金证明在哪里看
哪些国家不能使用
平台安全吗
资产有保险吗
隐私政策
平台在哪里注册的
我的数据怎么处理
支持我所在的地区吗
储备金证明怎么验证
平台正规吗`,
    en: `is the platform licensed
where is the proof of reserves
which countries are restricted
is the platform safe
are my assets insured
privacy policy
where is the company registered
how is my data handled
is my region supported
how to check proof of reserves
is this exchange legit`,
  },
  basics: {
    zh: `什么是比特币
什么是区块链
什么是稳定币
什么是钱包私钥
什么是DeFi
gas费是什么
什么是挖矿
公链和代币有什么区别
什么是智能合约
助记词是什么
什么是市值
什么是Layer2
比特币是什么
solana是什么链
什么叫流动性`,
    en: `what is bitcoin
what is a blockchain
what is a stablecoin
what is a private key
what is DeFi
what are gas fees
what is mining
difference between a coin and a token
what is a smart contract
what is a seed phrase
what is market cap
what is layer 2
what is solana
explain ethereum to me
what does liquidity mean`,
  },
} as const satisfies RouteSeeds;
