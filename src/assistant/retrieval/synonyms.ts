import { fold } from "../text/fold.ts";

/** Terms of the trade that mean the same, in both languages; a question with one of a line also looks for the others. */
const GROUPS: readonly (readonly string[])[] = [
  ["充值", "充币", "入金", "转入"],
  ["提现", "提币", "出金", "转出"],
  ["身份认证", "实名认证", "实名", "kyc", "身份验证"],
  ["双重验证", "谷歌验证", "谷歌验证器", "两步验证", "二次验证", "2fa"],
  ["手续费", "费率", "费用"],
  ["合约", "永续", "期货"],
  ["强平", "爆仓", "强制平仓"],
  ["限额", "额度", "上限"],
  ["重置", "刷新", "恢复"],
  ["上线", "上架", "上币", "新币"],
  ["下架", "下线", "退市"],
  ["人工客服", "客服", "人工"],
  ["邀请", "返佣", "推荐好友"],
  ["质押", "staking"],
  ["理财", "赚币", "活期", "定期"],
  ["密码", "口令"],
  ["注册", "开户"],
  ["注销", "删除账户", "销户"],
  ["跟单", "带单"],
  ["币安币", "bnb"],
  ["比特币", "btc", "大饼"],
  ["以太坊", "eth", "以太币"],
  ["银行卡", "信用卡", "借记卡"],
  ["会员", "套餐", "订阅", "pro"],
  ["deposit", "fund", "top up"],
  ["withdraw", "withdrawal", "cash out"],
  ["kyc", "identity verification", "verify identity"],
  ["2fa", "two-factor authentication", "authenticator", "two factor"],
  ["fee", "commission", "cost"],
  ["futures", "perpetual", "contract"],
  ["liquidation", "liquidated", "forced close"],
  ["limit", "maximum", "cap"],
  ["arrive", "credited", "received"],
  ["listing", "listed", "new coin"],
  ["delisting", "delisted", "removed"],
  ["support", "customer service", "human agent"],
  ["referral", "invite"],
  ["register", "sign up", "create account", "open an account"],
  ["close account", "delete account"],
  ["stolen", "hacked", "compromised"],
  ["login", "log in", "sign in"],
  ["card", "credit card", "debit card"],
  ["subscription", "plan", "membership", "pro"],
  ["bitcoin", "btc"],
  ["ethereum", "eth", "ether"],
  ["solana", "sol"],
  ["tax", "taxes"],
];

/** The other names of the trade's terms that occur in a text. */
export function relatedTerms(text: string): string[] {
  const folded = fold(text);
  const padded = ` ${folded.replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  const occurs = (term: string): boolean =>
    /^[a-z0-9]/.test(term) ? new RegExp(`\\b${term}(?:s|es|ed|ing)?\\b`).test(padded) : folded.includes(term);
  return GROUPS.filter((group) => group.some(occurs)).flatMap((group) => group.filter((term) => !occurs(term)));
}
