import { ASSETS } from "./assets.ts";

/** Synonyms of the domain by the name that replaces them; `|` joins the words of a phrase. */
const GROUPS: Readonly<Record<string, string>> = {
  提现: "提币 出金 提款 取款 提幣",
  充值: "充币 入金 冲值 冲币 存币",
  强平: "爆仓 强制平仓 被爆 爆掉",
  合约: "永续 期货",
  下架: "下线 退市 摘牌",
  上线: "上架 上币 上新",
  额度: "限额",
  手续费: "佣金",
  注册: "开户",
  注销: "销户 删除账户 删除账号",
  账户: "账号 帐号 帐户",
  登录: "登陆",
  人工客服: "真人客服 转人工",
  到账: "入账 到帐",
  套餐: "会员 订阅",
  银行卡: "信用卡 借记卡",
  被盗: "盗号 被黑",
  每日: "每天 一天",
  交易记录: "交易流水 成交记录",
  kyc: "身份认证 身份验证 实名认证 实名 identity|verification verify|identity verify|my|identity id|verification",
  "2fa":
    "双重验证 谷歌验证器 谷歌验证 两步验证 二次验证 双因素 two|factor|authentication two|factor two|step|verification authenticator google|authenticator mfa",
  trc20: "trc|20",
  erc20: "erc|20",
  fee: "fees commission commissions cost costs charge charges",
  futures: "perpetual perpetuals perps",
  register: "sign|up signup create|an|account open|an|account",
  login: "log|in sign|in logging|in signing|in logged|in",
  withdrawal: "cash|out",
  delete: "close",
  stolen: "hacked compromised",
  card: "visa mastercard",
  limit: "limits maximum cap",
  support: "customer|service human|agent real|person",
  subscription: "membership",
  invite: "referral refer invitation",
  daily: "per|day each|day a|day every|day",
};

const CANONICAL = new Map<string, string>();
for (const { symbol, names, casual = [], ambiguous } of ASSETS) {
  if (ambiguous === true) continue;
  for (const name of [...names, ...casual]) CANONICAL.set(name.toLowerCase(), symbol.toLowerCase());
}
for (const [name, others] of Object.entries(GROUPS)) {
  for (const other of others.split(" ")) CANONICAL.set(other.replaceAll("|", " "), name);
}

const isHan = (name: string): boolean => /^\p{Script=Han}/u.test(name);
const longestFirst = (a: string, b: string): number => b.length - a.length;
const names = Array.from(CANONICAL.keys()).sort(longestFirst);
const HAN_NAMES = new RegExp(names.filter(isHan).join("|"), "gu");
const WORD_NAMES = new RegExp(
  `(?<![a-z0-9])(?:${names
    .filter((name) => !isHan(name))
    .map((name) => name.replaceAll(" ", "[\\s-]+"))
    .join("|")})(?![a-z0-9])`,
  "g",
);

/** Folded text with the synonyms of the domain replaced by one name each, so that "提币" finds "提现". */
export function unifySynonyms(folded: string): string {
  return folded
    .replace(HAN_NAMES, (name) => {
      const canonical = CANONICAL.get(name)!;
      return isHan(canonical) ? canonical : ` ${canonical} `;
    })
    .replace(WORD_NAMES, (name) => CANONICAL.get(name.replace(/[\s-]+/g, " ")) ?? name);
}
