import { assetsInQuestion } from "../../language/assets.ts";
import { nearestTerm } from "../../language/spelling.ts";
import { stem } from "../../language/porter-stem.ts";
import { unitsOf } from "../../language/terms.ts";
import type { Unit } from "../../language/terms.ts";

/**
 * Words of the trade by the concept they name, in both languages, so that what the classifier learns from one word or
 * one language carries over to the others. `_` joins the words of a phrase.
 */
const LEXICON = {
  deposit:
    "充值 充币 入金 转入 充进 冲值 冲币 存入 存币 打款 deposit deposits depositing deposited fund funding_account top_up topup incoming",
  withdraw:
    "提现 提币 出金 转出 提款 取款 取出 提走 取钱 withdraw withdrawal withdrawing withdrawn cash_out payout outgoing",
  transfer: "划转 转账 互转 内部转 转给 transfer transferred send_to move_funds",
  arrival: "到账 没到 未到 没收到 入账 到了没 arrive arrived credited received pending stuck missing not_showing",
  network:
    "网络 主网 链 确认数 确认 memo tag 标签 地址 network chain mainnet confirmation address trc20 erc20 trc erc memo tag txid hash 哈希",
  kyc: "认证 实名 身份证 护照 驾照 人脸 kyc verify verification identity passport id id_card document selfie face proof_of_address liveness",
  two_factor:
    "谷歌验证 验证器 两步验证 二次验证 双重验证 双因素 2fa mfa authenticator two_factor two_step passkey 通行密钥 totp",
  threat:
    "被盗 盗号 钓鱼 骗子 诈骗 可疑 异常登录 黑客 冒充 骗 冻结 stolen hacked phishing scam suspicious compromised unauthorized freeze fraud fake",
  password: "密码 口令 password passcode",
  code: "验证码 短信 code sms otp",
  signing:
    "登录 登陆 注册 开户 注销 销户 账号 用户名 邮箱 手机号 子账户 log_in login sign_in sign_up signup register registration account_deletion close_my_account delete_my_account email phone_number nickname sub_account subaccount",
  fee: "手续费 费率 费用 收费 佣金 抵扣 多少费 fee commission charge maker taker rate rebate",
  order:
    "下单 挂单 吃单 撤单 订单 委托 限价 市价 成交 止盈 止损 买入 卖出 冰山 order limit_order market_order stop_loss take_profit fill filled partially_filled oco iceberg cancel_order",
  spot: "现货 交易对 币币 闪兑 兑换币 spot trading_pair convert",
  futures:
    "合约 永续 期货 杠杆 开仓 平仓 仓位 爆仓 强平 强制平仓 保证金 标记价格 资金费 全仓 逐仓 对冲 u本位 币本位 做多 做空 futures perpetual contract leverage position liquidated liquidation margin mark_price funding_rate funding_fee cross isolated hedge deleveraging adl",
  borrow: "借币 借贷 还币 还款 利息 借款 抵押 质押率 borrow loan repay interest collateral ltv lend",
  api: "api 接口 密钥 限频 签名 websocket 文档 endpoint rest signature secret rate_limit sdk webhook bot_key 429",
  earn: "理财 质押 活期 定期 赎回 年化 收益 赚币 双币 挖矿 锁仓 earn stake staking redeem savings yield apy apr interest_rate dual_investment liquidity_mining unstake locked flexible launchpool launchpad",
  fiat: "法币 人民币 银行卡 信用卡 c2c p2p 卖家 买家 商家 放币 申诉 支付宝 微信支付 快捷买币 汇款 fiat p2p bank_card credit_card debit_card seller merchant appeal payment_method cash bank sepa swift wire visa",
  points: "积分 点数 分数 point points",
  quota:
    "免费次数 免费额度 次数 额度 配额 免费提问 免费 几次 每日次数 quota free_uses free_questions allowance free_asks free daily_limit",
  reset: "重置 刷新 恢复 清零 补满 更新时间 reset renew refresh refill restart",
  ledger:
    "明细 流水 账单 记录 扣了 扣分 消耗 变动 收支 history ledger statement log transaction entries deducted charged spent",
  balance: "余额 还剩 剩余 剩多少 多少积分 几分 balance left remaining",
  plan: "会员 套餐 订阅 专业版 高级功能 高级版 付费 续费 到期 过期 开通 升级套餐 subscription plan membership pro premium subscribe renewal expire upgrade_my_plan trial",
  reward: "奖励 返积分 返还 reward bonus",
  exchange_points: "换积分 兑换积分 换成积分 兑换比例 兑换 换多少积分 换几分 exchange convert redeem swap rate",
  vip: "vip 等级 做市商 特权 tier level market_maker",
  referral: "邀请 返佣 邀请码 推荐人 合伙人 拉新 好友 referral invite affiliate refer commission friend",
  bots: "网格 跟单 带单 定投 机器人 策略 grid copy_trading bot dca lead_trader copy_trader",
  platform_token: "平台币 lmx platform_token native_token tokenomics burn burned",
  app: "app 下载 安装 闪退 客户端 推送 语言 界面 英文 中文 深色 夜间 提醒 网页版 app download install crash push notification dark_mode language alert iphone android browser",
  support:
    "客服 人工 工单 投诉 反馈 真人 support customer_service human_agent agent live_chat ticket complain complaint representative",
  report: "导出 报税 税 证明 对账单 下载账单 tax export csv download_statement proof_of_assets tax_report",
  compliance:
    "牌照 储备金 合规 地区 国家 隐私 监管许可 保险 license licensed proof_of_reserves country countries region insured privacy regulated restricted",
  basics:
    "是什么 什么是 什么意思 啥是 区块链 私钥 助记词 智能合约 稳定币 公链 gas what_is blockchain private_key seed_phrase smart_contract stablecoin layer defi mean definition",
  notice: "公告 通知 通告 声明 announcement announce announced notice official",
  listing:
    "上线 上架 上币 新币 首发 上新 开放交易 新上 新增 list listed listing listings new_coin new_token new_pair launch launched",
  delisting: "下架 下线 退市 移除 摘牌 停止交易 delist delisted delisting remove_pair removed offline",
  maintenance:
    "维护 停机 升级 暂停 恢复充 恢复提 宕机 maintenance downtime outage suspended paused upgrade resume reopened system_upgrade down",
  activity:
    "活动 空投 大赛 交易赛 福利 抽奖 优惠 报名 糖果 赠送 promotion campaign airdrop competition contest giveaway event lucky_draw raffle promo",
  rules: "规则 调整 变更 条款 协议 政策 修订 生效 rule adjustment change terms agreement policy effective adjusted",
  news: "新闻 资讯 快讯 消息 头条 要闻 动态 大事 报道 进展 发生了什么 怎么了 利好 利空 news headline headlines stories story happened happening update updates latest breaking",
  world:
    "美联储 监管 sec 起诉 etf 机构 黑客攻击 矿工 加息 降息 融资 法案 政策 fed regulation lawsuit etf miners institutional hack hacked exploit 攻击 被攻击 安全事件 incident incidents funding_round bill congress hong_kong 香港",
  price: "价格 多少钱 现价 币价 行情 涨跌幅 最高价 最低价 涨了 跌了 price quote worth trading_at cost_now 24h",
  cause:
    "为什么涨 为什么跌 为什么大跌 为什么大涨 暴跌 暴涨 大跌 大涨 drop dropped crash up_today falling rising plunge surge",
  mood: "情绪 恐慌 恐惧 贪婪 乐观 悲观 氛围 偏多 偏空 舆情 牛市 熊市 sentiment mood fear greed bullish bearish optimistic pessimistic vibe feel",
  trending:
    "热点 热门 热议 热搜 讨论 聊 最火 热度 话题 trending hot hottest topic topics buzz buzzing everyone_talking popular narrative",
  advice:
    "该不该 应不应该 值得 推荐 建议 能不能买 可以买 买什么 适合 抄底 加仓 割肉 入场 梭哈 全仓买 翻倍 潜力 稳赚 投资组合 should_i worth recommend recommendation advice invest investment good_time all_in portfolio signals best_coin best_crypto moon 10x 100x profit",
  forecast:
    "预测 会涨 会跌 涨到 跌到 明天会 年底 会不会涨 predict prediction forecast will_bitcoin will_btc will_eth will_rise will_go reach target",
  self: "我 我的 my mine me i i've i'm",
  assistant: "你 您 你们 you your",
  how: "怎么 如何 怎样 步骤 教程 how how_do how_to steps guide",
  when: "什么时候 何时 几点 多久 几时 when how_long what_time",
  amount: "多少 几个 how_many how_much",
  recent:
    "最近 最新 今天 今日 昨天 本周 近期 刚刚 昨晚 recent recently latest today yesterday this_week last_night lately now",
  trouble:
    "失败 无法 不能 不了 打不开 没反应 报错 拒绝 错误 failed can't cannot unable error rejected not_working wrong problem issue",
} as const satisfies Record<string, string>;

const CONCEPTS = new Map<string, string[]>();
for (const [concept, phrases] of Object.entries(LEXICON)) {
  for (const phrase of phrases.split(" ")) {
    const key = phrase.split("_").map(stem).join(" ");
    CONCEPTS.set(key, [...(CONCEPTS.get(key) ?? []), concept]);
  }
}
/** English words of the lexicon by first letter: where the nearest to a misspelt word is looked for. */
const BY_LETTER = new Map<string, string[]>();
for (const word of new Set(Object.values(LEXICON).join(" ").split(" "))) {
  if (/^[a-z]{5,}$/.test(word)) BY_LETTER.set(word[0]!, [...(BY_LETTER.get(word[0]!) ?? []), word]);
}

/** The lexicon's form of a word: its stem, without a number behind it ("vip1"), or the word it is a misspelling of. */
function formOf(word: string): string {
  const stemmed = stem(word);
  if (CONCEPTS.has(stemmed)) return stemmed;
  const bare = word.replace(/\d+$/, "");
  return CONCEPTS.has(bare) ? bare : stem(nearestTerm(word, BY_LETTER.get(word[0] ?? "") ?? []));
}

const LONGEST_PHRASE = 6;
const LONGEST_WORDS = 3;

/** Concepts that any question may hold, of whatever subject. */
const COMMON: ReadonlySet<string> = new Set<keyof typeof LEXICON>([
  "self",
  "assistant",
  "how",
  "when",
  "amount",
  "recent",
  "trouble",
  "reset",
  "arrival",
  "reward",
  "code",
  "rules",
  "balance",
  "basics",
  "support",
  "advice",
  "news",
  "signing",
  "app",
]);

/** Whether a text names anything of the trade. */
export function speaksOfTrade(text: string): boolean {
  return [...conceptsIn(text)].some((concept) => !COMMON.has(concept));
}

/** The concepts that a text names, and `asset` when it names one. */
export function conceptsIn(text: string, units: readonly Unit[] = unitsOf(text)): Set<string> {
  const found = new Set<string>();
  const note = (key: string): void => {
    for (const concept of CONCEPTS.get(key) ?? []) found.add(concept);
  };
  const words: string[] = [];
  for (const unit of units) {
    if (unit.han) {
      words.length = 0;
      // The longest phrase counts: there is no "续费" in "手续费".
      for (let at = 0; at < unit.text.length; at++) {
        let size = Math.min(LONGEST_PHRASE, unit.text.length - at);
        while (size > 0 && !CONCEPTS.has(unit.text.slice(at, at + size))) size--;
        if (size === 0) continue;
        note(unit.text.slice(at, at + size));
        at += size - 1;
      }
      continue;
    }
    words.push(formOf(unit.text));
    for (let size = 1; size <= Math.min(LONGEST_WORDS, words.length); size++) note(words.slice(-size).join(" "));
  }
  if (assetsInQuestion(text, units).size > 0) found.add("asset");
  return found;
}
