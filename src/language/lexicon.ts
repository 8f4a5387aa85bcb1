import { stem } from "./porter-stem.ts";
import { nearestTerm } from "./spelling.ts";
import { tokenize } from "./tokenize.ts";
import type { Token } from "./tokenize.ts";

/**
 * The bilingual lexicon of the trade, one concept a line: its id, its names in English, its names in Chinese. A name is
 * matched by its stems, so a plural or an inflected form need not be listed.
 *
 * Concepts of questions. They are coarse: what the router learns from one name of a concept, in one language, holds for
 * the other names.
 */
const QUESTIONS = `
deposit: deposit, deposits, depositing, deposited, fund, funding account, top up, topup, incoming | 充值, 充币, 入金, 转入,
  充进, 冲值, 冲币, 存入, 存币, 打款
withdraw: withdraw, withdrawal, withdrawing, withdrawn, cash out, payout, outgoing | 提现, 提币, 出金, 转出, 提款, 取款, 取出, 提走,
  取钱
transfer: transfer, transferred, send to, move funds | 划转, 转账, 互转, 内部转, 转给
arrival: arrive, arrived, credited, received, pending, stuck, missing, not showing | 到账, 没到, 未到, 没收到, 入账, 到了没
network: memo, tag, network, chain, mainnet, confirmation, address, trc20, erc20, trc, erc, txid, hash | 网络, 主网, 链,
  确认数, 确认, 标签, 地址, 哈希
kyc: kyc, verify, verification, identity, passport, id, id card, document, selfie, face, proof of address, liveness |
  认证, 实名, 身份证, 护照, 驾照, 人脸
two_factor: 2fa, mfa, authenticator, two factor, two step, passkey, totp | 谷歌验证, 验证器, 两步验证, 二次验证, 双重验证, 双因素, 通行密钥
threat: stolen, hacked, phishing, scam, suspicious, compromised, unauthorized, freeze, fraud, fake | 被盗, 盗号, 钓鱼, 骗子,
  诈骗, 可疑, 异常登录, 黑客, 冒充, 骗, 冻结
password: password, passcode | 密码, 口令
code: code, sms, otp | 验证码, 短信
signing: log in, login, sign in, sign up, signup, register, registration, account deletion, close my account, delete
  my account, email, phone number, nickname, sub account, subaccount | 登录, 登陆, 注册, 开户, 注销, 销户, 账号, 用户名, 邮箱, 手机号, 子账户
fee: fee, commission, charge, maker, taker, rate, rebate | 手续费, 费率, 费用, 收费, 佣金, 抵扣, 多少费
order: order, limit order, market order, stop loss, take profit, fill, filled, partially filled, oco, iceberg, cancel
  order | 下单, 挂单, 吃单, 撤单, 订单, 委托, 限价, 市价, 成交, 止盈, 止损, 买入, 卖出, 冰山
spot: spot, trading pair, convert | 现货, 交易对, 币币, 闪兑, 兑换币
futures: futures, perpetual, contract, leverage, position, liquidated, liquidation, margin, mark price, funding rate,
  funding fee, cross, isolated, hedge, deleveraging, adl | 合约, 永续, 期货, 杠杆, 开仓, 平仓, 仓位, 爆仓, 强平, 强制平仓, 保证金, 标记价格, 资金费,
  全仓, 逐仓, 对冲, 币本位, 做多, 做空
borrow: borrow, loan, repay, interest, collateral, ltv, lend | 借币, 借贷, 还币, 还款, 利息, 借款, 抵押, 质押率
api: api, websocket, endpoint, rest, signature, secret, rate limit, sdk, webhook, bot key, 429 | 接口, 密钥, 限频, 签名, 文档
earn: earn, stake, staking, redeem, savings, yield, apy, apr, interest rate, dual investment, liquidity mining,
  unstake, locked, flexible, launchpool, launchpad | 理财, 质押, 活期, 定期, 赎回, 年化, 收益, 赚币, 双币, 挖矿, 锁仓
fiat: c2c, p2p, fiat, bank card, credit card, debit card, seller, merchant, appeal, payment method, cash, bank, sepa,
  swift, wire, visa | 法币, 人民币, 银行卡, 信用卡, 卖家, 买家, 商家, 放币, 申诉, 支付宝, 微信支付, 快捷买币, 汇款
points: point, points | 积分, 点数, 分数
quota: quota, free uses, free questions, allowance, free asks, free, daily limit | 免费次数, 免费额度, 次数, 额度, 配额, 免费提问, 免费,
  几次, 每日次数
reset: reset, renew, refresh, refill, restart | 重置, 刷新, 恢复, 清零, 补满, 更新时间
ledger: history, ledger, statement, log, transaction, entries, deducted, charged, spent | 明细, 流水, 账单, 记录, 扣了, 扣分, 消耗,
  变动, 收支
balance: balance, left, remaining | 余额, 还剩, 剩余, 剩多少, 多少积分, 几分
plan: subscription, plan, membership, pro, premium, subscribe, renewal, expire, upgrade my plan, trial | 会员, 套餐, 订阅,
  专业版, 高级功能, 高级版, 付费, 续费, 到期, 过期, 开通, 升级套餐
reward: reward, bonus | 奖励, 返积分, 返还
exchange_points: exchange, convert, redeem, swap, rate | 换积分, 兑换积分, 换成积分, 兑换比例, 兑换, 换多少积分, 换几分
vip: vip, tier, level, market maker | 等级, 做市商, 特权
referral: referral, invite, affiliate, refer, commission, friend | 邀请, 返佣, 邀请码, 推荐人, 合伙人, 拉新, 好友
bots: grid, copy trading, bot, dca, lead trader, copy trader | 网格, 跟单, 带单, 定投, 机器人, 策略
platform_token: lmx, platform token, native token, tokenomics, burn, burned | 平台币
app: app, download, install, crash, push, notification, dark mode, language, alert, iphone, android, browser | 下载, 安装,
  闪退, 客户端, 推送, 语言, 界面, 英文, 中文, 深色, 夜间, 提醒, 网页版
support: support, customer service, human agent, agent, live chat, ticket, complain, complaint, representative | 客服,
  人工, 工单, 投诉, 反馈, 真人
report: tax, export, csv, download statement, proof of assets, tax report | 导出, 报税, 税, 证明, 对账单, 下载账单
compliance: license, licensed, proof of reserves, country, countries, region, insured, privacy, regulated, restricted
  | 牌照, 储备金, 合规, 地区, 国家, 隐私, 监管许可, 保险
basics: gas, what is, blockchain, private key, seed phrase, smart contract, stablecoin, layer, defi, mean, definition
  | 是什么, 什么是, 什么意思, 啥是, 区块链, 私钥, 助记词, 智能合约, 稳定币, 公链
notice: announcement, announce, announced, notice, official | 公告, 通知, 通告, 声明
listing: list, listed, listing, listings, new coin, new token, new pair, launch, launched | 上线, 上架, 上币, 新币, 首发, 上新,
  开放交易, 新上, 新增
delisting: delist, delisted, delisting, remove pair, removed, offline | 下架, 下线, 退市, 移除, 摘牌, 停止交易
maintenance: maintenance, downtime, outage, suspended, paused, upgrade, resume, reopened, system upgrade, down | 维护,
  停机, 升级, 暂停, 恢复充, 恢复提, 宕机
activity: promotion, campaign, airdrop, competition, contest, giveaway, event, lucky draw, raffle, promo | 活动, 空投, 大赛,
  交易赛, 福利, 抽奖, 优惠, 报名, 糖果, 赠送
rules: rule, adjustment, change, terms, agreement, policy, effective, adjusted | 规则, 调整, 变更, 条款, 协议, 政策, 修订, 生效
news: news, headline, headlines, stories, story, happened, happening, update, updates, latest, breaking | 新闻, 资讯, 快讯,
  消息, 头条, 要闻, 动态, 大事, 报道, 进展, 发生了什么, 怎么了, 利好, 利空
world: sec, etf, fed, regulation, lawsuit, miners, institutional, hack, hacked, exploit, incident, incidents, funding
  round, bill, congress, hong kong | 美联储, 监管, 起诉, 机构, 黑客攻击, 矿工, 加息, 降息, 融资, 法案, 政策, 攻击, 被攻击, 安全事件, 香港
price: price, quote, worth, trading at, cost now, 24h | 价格, 多少钱, 现价, 币价, 行情, 涨跌幅, 最高价, 最低价, 涨了, 跌了
cause: drop, dropped, crash, up today, falling, rising, plunge, surge | 为什么涨, 为什么跌, 为什么大跌, 为什么大涨, 暴跌, 暴涨, 大跌, 大涨
mood: sentiment, mood, fear, greed, bullish, bearish, optimistic, pessimistic, vibe, feel | 情绪, 恐慌, 恐惧, 贪婪, 乐观, 悲观,
  氛围, 偏多, 偏空, 舆情, 牛市, 熊市
trending: trending, hot, hottest, topic, topics, buzz, buzzing, everyone talking, popular, narrative | 热点, 热门, 热议, 热搜,
  讨论, 聊, 最火, 热度, 话题
advice: should i, worth, recommend, recommendation, advice, invest, investment, good time, all in, portfolio, signals,
  best coin, best crypto, moon, 10x, 100x, profit | 该不该, 应不应该, 值得, 推荐, 建议, 能不能买, 可以买, 买什么, 适合, 抄底, 加仓, 割肉, 入场, 梭哈,
  全仓买, 翻倍, 潜力, 稳赚, 投资组合
forecast: predict, prediction, forecast, will bitcoin, will btc, will eth, will rise, will go, reach, target | 预测, 会涨,
  会跌, 涨到, 跌到, 明天会, 年底, 会不会涨
self: my, mine, me, i | 我, 我的
assistant: you, your | 你, 您, 你们
how: how, how do, how to, steps, guide | 怎么, 如何, 怎样, 步骤, 教程
when: when, how long, what time | 什么时候, 何时, 几点, 多久, 几时
amount: how many, how much | 多少, 几个
recent: recent, recently, latest, today, yesterday, this week, last night, lately, now | 最近, 最新, 今天, 今日, 昨天, 本周, 近期,
  刚刚, 昨晚
trouble: failed, cannot, unable, error, rejected, not working, wrong, problem, issue | 失败, 无法, 不能, 不了, 打不开, 没反应, 报错,
  拒绝, 错误
`;

/**
 * Concepts of headlines: those that a Chinese and an English item about one event share besides numbers, tickers and
 * Latin names. They are finer than those of questions, and kept apart from them: with both in one list, clusters of the
 * demo's feeds fall from B-cubed F1 0.951 to 0.945, and a question on the weather in Japan would name a concept of the domain.
 */
const HEADLINES = `
fed: fed, federal reserve, fomc | 美联储, 联储
fed-chair: powell | 鲍威尔
ecb: ecb, european central bank | 欧洲央行, 欧央行
boj: boj, bank of japan | 日本央行, 日银
boe: boe, bank of england | 英国央行, 英格兰银行
pboc: pboc, people's bank of china | 中国人民银行, 中国央行
central-bank: central bank | 央行, 中央银行, 金管局
sec: sec, securities and exchange commission | 证券交易委员会, 证交会, 美证监会
cftc: cftc | 商品期货交易委员会
regulator: regulator, watchdog, regulatory | 监管机构, 监管部门, 监管, 金融监管
congress: congress, senate, senator, lawmaker, parliament, house committee | 国会, 参议院, 参议员, 议会, 议员, 立法者
court: court, judge, tribunal | 法院, 法官, 法庭
justice: doj, justice department, prosecutor | 司法部, 检方, 检察官
police: police, interpol, europol | 警方, 警察, 国际刑警
treasury-dept: treasury department, us treasury | 财政部
us: u.s., american, america, united states, washington | 美国, 美
uk: uk, britain, british, london | 英国, 伦敦
eu: eu, european union, europe, european, brussels | 欧盟, 欧洲
japan: japan, japanese, tokyo | 日本, 东京
korea: korea, korean, seoul, south korea | 韩国, 首尔
china: china, chinese, beijing | 中国, 北京
hongkong: hong kong | 香港
singapore: singapore | 新加坡
russia: russia, russian, moscow | 俄罗斯, 莫斯科
ukraine: ukraine, ukrainian | 乌克兰
india: india, indian | 印度
brazil: brazil, brazilian | 巴西
argentina: argentina | 阿根廷
turkey: turkey, turkish | 土耳其
dubai: dubai, uae, emirate | 迪拜, 阿联酋
switzerland: switzerland, swiss | 瑞士
germany: germany, german | 德国
france: france, french | 法国
canada: canada, canadian | 加拿大
australia: australia, australian | 澳大利亚, 澳洲
elsalvador: el salvador | 萨尔瓦多
iran: iran, iranian | 伊朗
israel: israel, israeli | 以色列
taiwan: taiwan | 台湾
trump: trump | 特朗普, 川普
musk: musk | 马斯克
vitalik: vitalik, buterin | 维塔利克, V神
satoshi: satoshi, nakamoto | 中本聪
binance: binance | 币安
coinbase: coinbase | 库币贝斯
blackrock: blackrock | 贝莱德
grayscale: grayscale | 灰度
fidelity: fidelity | 富达
strategy: microstrategy | 微策略
tether: tether | 泰达
circle: circle internet | 圈公司
goldman: goldman sachs, goldman | 高盛
jpmorgan: jpmorgan, jp morgan | 摩根大通, 小摩
morgan: morgan stanley | 摩根士丹利, 大摩
nasdaq: nasdaq | 纳斯达克, 纳指
tesla: tesla | 特斯拉
apple: apple, iphone | 苹果
google: google, alphabet | 谷歌
microsoft: microsoft | 微软
nvidia: nvidia | 英伟达
paypal: paypal | 贝宝
visa: visa, mastercard | 万事达
openai: openai, chatgpt | 人工智能
etf: etf, exchange-traded fund | 交易所交易基金, 交易型基金
fund: fund | 基金
spot: spot | 现货
futures: future contract, futures | 期货
options: option | 期权
perpetual: perpetual, perp | 永续
derivative: derivative | 衍生品
leverage: leverage, margin | 杠杆, 保证金
liquidation: liquidation, liquidated, short squeeze, wiped out | 爆仓, 清算, 强平
openinterest: open interest | 未平仓, 持仓量
funding-rate: funding rate | 资金费率
inflow: inflow, take in, pour into, subscription | 净流入, 流入, 吸金, 净申购, 吸引资金
outflow: outflow, redemption, withdrawn, pulled | 净流出, 流出, 净赎回, 撤资
record: record, all-time high, new high, strongest, biggest, largest | 纪录, 创纪录, 新高, 历史新高, 史上最强, 史上最大, 最高
low: low, lowest, new low | 新低, 最低, 低点
rate-cut: rate cut, cut rate, lower rate, easing | 降息, 宽松
rate-hike: rate hike, raise rate, tightening | 加息, 收紧
rates: interest rate, rate | 利率
minutes: minute | 纪要
inflation: inflation, cpi | 通胀, 物价
jobs: payroll, jobless, unemployment, employment, job data | 非农, 就业, 失业
gdp: gdp | 国内生产总值
recession: recession | 衰退
tariff: tariff | 关税
dollar: dollar index, dxy | 美元指数
gold: gold | 黄金
oil: oil, crude | 原油, 石油
stocks: stock, equity, share | 股票, 股市, 股价
bond: bond, treasuries, yield | 国债, 债券, 美债, 收益率
rise: rise, rose, gain, climb, jump, surge, soar, rally, advance, edge up | 上涨, 大涨, 涨, 走高, 攀升, 飙升, 拉升, 涨幅, 跟涨, 涨势
fall: fall, fell, drop, decline, slide, slump, plunge, tumble, sink, lower, lose value | 下跌, 大跌, 跌, 走低, 暴跌, 跌幅, 下挫, 回落
rebound: rebound, recover, recovery, bounce | 反弹, 回升, 回暖
halve: halve, half its value | 腰斩
breakout: clear, break above, cross, above, breakout, top | 突破, 站上, 重返, 升破
hack: hack, hacker, exploit, attack, attacker, breach, drain, heist | 攻击, 黑客, 攻击者, 遭攻击, 入侵
theft: theft, steal, stole, stolen | 被盗, 盗取, 失窃, 盗窃, 盗
scam: scam, fraud, phishing, ponzi, rug pull | 诈骗, 骗局, 钓鱼, 欺诈, 庞氏
flaw: flaw, bug, vulnerability, loophole | 漏洞, 缺陷
malicious: malicious, malware, tampered, drainer | 恶意, 篡改, 木马, 盗币工具
bounty: bounty, white hat | 赏金, 悬赏, 白帽, 奖励
refund: refund, reimburse, compensate, compensation, repay, make whole | 赔付, 补偿, 赔偿, 偿还, 退款
freeze: freeze, froze, frozen | 冻结
pause: pause, suspend, halt, suspension | 暂停, 中止, 停止
resume: resume, restore, back online, restart | 恢复, 重启
outage: outage, downtime, went down, offline, stall | 宕机, 停机, 中断, 故障, 停摆
bridge: bridge, cross-chain | 跨链桥, 跨链
wallet: wallet | 钱包
extension: extension, browser | 插件, 扩展, 浏览器
seed: seed phrase, private key | 助记词, 私钥
exchange: exchange | 交易所
stablecoin: stablecoin | 稳定币
depeg: depeg, lose peg, peg | 脱锚, 锚定
reserve: reserve, proof of reserve, backing | 储备, 储备金, 储备证明, 准备金
audit: audit, auditor | 审计
token: token | 代币
airdrop: airdrop | 空投
listing: list, listing | 上线, 上架
delist: delist | 下架, 退市
burn: burn | 销毁
unlock: unlock, vesting | 解锁
buyback: buyback, repurchase | 回购
staking: stake, staking, staker | 质押
validator: validator | 验证者, 验证人
node: node | 节点
client: client software, client | 客户端
mining: mine, miner, mining | 矿工, 挖矿, 矿企, 矿业, 矿机, 矿场
hashrate: hashrate, hash rate | 算力
difficulty: difficulty | 难度
halving: halving | 减半
layer2: layer 2, l2, rollup | 二层, 二层网络, 扩容网络
sequencer: sequencer | 排序器
upgrade: upgrade, hard fork, fork | 升级, 硬分叉
mainnet: mainnet | 主网
testnet: testnet | 测试网
developer: developer, core dev | 开发者, 开发人员
proposal: proposal, vote, governance, ballot | 提案, 投票, 治理, 表决
fee: fee, fee switch | 费用, 手续费, 费率, 费用开关
gas: gas fee | 矿工费
block: block time, blocks | 区块, 出块
contract: smart contract, contract | 合约
defi: defi, decentralized finance | 去中心化金融
lending: lend, lending, loan, borrow | 借贷, 贷款
collateral: collateral | 抵押, 抵押品
nft: nft, collectible | 数字藏品
volume: volume, turnover | 成交量, 交易量, 交易额, 成交额
marketcap: market cap, market value | 市值
whale: whale | 巨鲸, 鲸鱼
treasury: treasury | 国库, 财库
tokenise: tokenise, tokenize, tokenisation, tokenization, on-chain | 代币化, 链上
deposit: deposit | 存款, 充值
withdraw: withdraw, withdrawal | 提现, 提币, 取款
custody: custody, custodian | 托管
license: license, licence, licensed | 牌照, 许可
approve: approve, approval, clears, green light, authorise, authorize | 批准, 获批, 获准, 放行, 通过
reject: reject, deny, veto | 拒绝, 否决, 驳回
delay: delay, postpone, push back | 推迟, 延期, 延后, 暂缓
ban: ban, prohibit, outlaw | 禁止, 禁令
tax: tax, taxation | 税, 征税, 税收, 所得税
bill: bill, act, legislation, law | 法案, 立法, 法律
rules: rule, framework, guideline | 规则, 框架, 指引, 新规
sandbox: sandbox | 沙盒
lawsuit: lawsuit, sue, suit, complaint | 诉讼, 起诉
settle: settle, settlement | 和解, 结算
fine: fine, penalty | 罚款, 处罚
charge: charge, indict, indictment | 指控
arrest: arrest, detain, custody of police | 逮捕, 被捕, 落网, 拘留
guilty: guilty, convict, sentence, prison, jail | 有罪, 判刑, 监禁, 入狱
sanction: sanction | 制裁
bankruptcy: bankruptcy, bankrupt, insolvent, insolvency, chapter 11 | 破产, 资不抵债
shutdown: shut down, shutdown, wind down, close down, to close, shut its doors | 关闭, 关停, 停运, 停服, 清盘
layoff: layoff, lay off, job cut | 裁员
merge: merge, merger | 合并
acquire: acquire, acquisition, takeover, buy | 收购, 并购
deal: deal | 交易案, 协议
ipo: ipo, go public, public offering | 上市, 首次公开募股
funding: raise, funding round, series a, series b | 融资, 募资
earnings: earnings, quarterly result, revenue, profit | 财报, 营收, 利润, 盈利
loss: loss, lose | 损失, 亏损
launch: launch, unveil, debut, roll out, introduce | 推出, 发布, 启动, 上线
partnership: partner, partnership, team up | 合作, 携手
resign: resign, step down, resignation | 辞职, 卸任
appoint: appoint, name chief, hire | 任命, 出任
bank: bank | 银行
payment: payment, pay | 支付
retail: retail investor | 散户
institution: institutional, institution | 机构
analyst: analyst | 分析师, 分析人士
investor: investor | 投资者
fear-greed: fear and greed, greed index | 恐慌与贪婪, 贪婪指数
week-high: week high | 周新高, 周高点
month: month | 月
quarter: quarter | 季度
sentiment: sentiment | 情绪
short: short seller, short | 空头, 做空
long: long position | 多头, 做多
supply: supply, issuance | 供应, 供应量, 发行量
user: user, customer, client fund | 用户, 客户
game: game, gaming, studio | 游戏
phone: phone, smartphone, mobile | 手机
`;

/** A lexicon prepared for matching. */
export interface Lexicon {
  /** Concepts by name; an English name is the stems of its words, joined by spaces. */
  readonly concepts: ReadonlyMap<string, readonly string[]>;
  /** English words of the names by first letter: candidates for correcting a misspelt word. */
  readonly words: ReadonlyMap<string, readonly string[]>;
}

export const QUESTION_LEXICON = toLexicon(QUESTIONS);
export const HEADLINE_LEXICON = toLexicon(HEADLINES);

function toLexicon(lines: string): Lexicon {
  const concepts = new Map<string, string[]>();
  const words = new Map<string, Set<string>>();
  for (const line of lines.trim().split(/\n(?! )/)) {
    const [id = "", ...names] = line.split(/[:,|]/).map((part) => part.trim());
    for (const name of names) {
      const key = tokenize(name)
        .map(({ text, han }) => (han ? text : stem(text)))
        .join(" ");
      if (key !== "") concepts.set(key, [...(concepts.get(key) ?? []), id]);
      if (/^[a-z]{5,}$/.test(name)) words.set(name[0]!, (words.get(name[0]!) ?? new Set()).add(name));
    }
  }
  return { concepts, words: new Map(Array.from(words, ([letter, set]) => [letter, [...set]])) };
}

const LONGEST_HAN = 7;
const LONGEST_PHRASE = 4;

/**
 * The concepts that a text names, in the order of their mention.
 *
 * @param correct whether unknown words are replaced by the nearest words of the lexicon
 * @example
 * conceptsOf(tokenize("withdrawel fee"), QUESTION_LEXICON, true); // Set { "withdraw", "fee" }
 */
export function conceptsOf(tokens: readonly Token[], lexicon: Lexicon, correct = false): Set<string> {
  const found = new Set<string>();
  const note = (key: string): boolean => {
    const concepts = lexicon.concepts.get(key) ?? [];
    for (const concept of concepts) found.add(concept);
    return concepts.length > 0;
  };
  let words: string[] = [];
  for (const { text, han } of tokens) {
    if (!han) {
      words.push(correct ? formOf(text, lexicon) : stem(text));
      for (let size = 1; size <= Math.min(LONGEST_PHRASE, words.length); size++) note(words.slice(-size).join(" "));
      continue;
    }
    words = [];
    // The longest name counts: there is no "续费" in "手续费".
    for (let at = 0; at < text.length;) {
      let size = Math.min(LONGEST_HAN, text.length - at);
      while (size > 0 && !note(text.slice(at, at + size))) size--;
      at += Math.max(1, size);
    }
  }
  return found;
}

/** The lexicon's form of a word: its stem, without a number behind it ("vip1"), or the word it is a misspelling of. */
function formOf(word: string, { concepts, words }: Lexicon): string {
  const stemmed = stem(word);
  if (concepts.has(stemmed)) return stemmed;
  const bare = word.replace(/\d+$/, "");
  return concepts.has(bare) ? bare : stem(nearestTerm(word, words.get(word[0] ?? "") ?? []));
}
