/**
 * A small bilingual lexicon of the domain: one line a concept, its English words and phrases, then its Chinese ones. It
 * is what a Chinese and an English item about one event have in common besides numbers, tickers and Latin names.
 * English entries are matched after stemming, longest first; a plural or an inflected form need not be listed.
 */
const LINES = `
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

/** A concept with what names it in each language. */
export interface Concept {
  readonly id: string;
  readonly en: readonly string[];
  readonly zh: readonly string[];
}

/** The concepts, in the order of the lexicon. */
export const CONCEPTS: readonly Concept[] = LINES.trim()
  .split("\n")
  .map((line) => {
    const [id = "", names = ""] = line.split(/:(.*)/s);
    const [en = "", zh = ""] = names.split("|");
    const list = (text: string): string[] =>
      text
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "");
    return { id, en: list(en), zh: list(zh) };
  });
