import type { Passage } from "../../src/assistant/passage.ts";
import { passage } from "./passages.ts";

/** 2026-11-20T00:00:00Z. */
export const NOW = Date.parse("2026-11-20T00:00:00Z");

function article(lang: string, id: string, title: string, text: string): Passage {
  return passage({ id, title, text, lang, url: `https://exchange.example/${lang}/help/${id}` });
}

function notice(lang: string, id: string, day: string, title: string, text: string, symbols: string[] = []): Passage {
  return passage({ id, kind: "notice", title, text, lang, published_at: `2026-11-${day}T08:00:00Z`, symbols });
}

function news(lang: string, id: string, day: string, title: string, text: string, symbols: string[] = []): Passage {
  return passage({ id, kind: "news", title, text, lang, published_at: `2026-11-${day}T08:00:00Z`, symbols });
}

/** A small exchange's help center, notices and news. There is no English article on P2P. */
export const EXCHANGE: readonly Passage[] = [
  article(
    "zh",
    "withdraw-fee",
    "提现手续费是多少",
    "提现手续费按币种和网络收取固定数量，与提现金额无关。USDT 的提现手续费：TRC-20 网络每笔 1 USDT，ERC-20 网络每笔 4 USDT。\n\n手续费随网络拥堵情况调整，调整前会发布公告。",
  ),
  article(
    "zh",
    "withdraw-time",
    "提现多久到账",
    "多数提现在 30 分钟内发出。单笔超过 50,000 USDT 的提现由人工审核，最长 24 小时。",
  ),
  article(
    "zh",
    "deposit",
    "如何充值数字货币",
    "打开“资产 → 充值”，选择币种和网络，复制充值地址后转账。充值不收取手续费。",
  ),
  article("zh", "kyc", "身份认证（KYC）等级", "身份认证分为 0 级到 3 级。1 级审核通常在 10 分钟内完成。"),
  article(
    "zh",
    "p2p",
    "P2P 卖家不放币怎么办",
    "付款后 30 分钟卖家仍未放币的，可以在订单页发起申诉。客服会在 24 小时内处理。",
  ),
  article(
    "en",
    "withdraw-fee",
    "What withdrawals cost",
    "A withdrawal fee is a fixed amount for each coin and network. The USDT withdrawal fee is 1 USDT on TRC-20 and 4 USDT on ERC-20.\n\nA notice is published before each change of a fee.",
  ),
  article(
    "en",
    "withdraw-time",
    "How long a withdrawal takes",
    "Most withdrawals are sent within 30 minutes. A withdrawal above 50,000 USDT is reviewed by a person, which takes up to 24 hours.",
  ),
  article(
    "en",
    "deposit",
    "How to deposit crypto",
    "Open Assets → Deposit, choose the coin and the network, and send to the address shown. Lumex charges no deposit fee.",
  ),
  article(
    "en",
    "kyc",
    "Identity verification levels",
    "Identity verification has levels 0 to 3. Review of level 1 usually takes 10 minutes.",
  ),
  notice("zh", "n1", "18", "上线 Orchard Finance（ORCH）", "平台已上线 ORCH 现货交易，交易对为 ORCH/USDT。", ["ORCH"]),
  notice("zh", "n2", "10", "上线 SUIUSDT 永续合约", "平台已上线 SUIUSDT 永续合约，最高杠杆 25 倍。", ["SUI"]),
  notice("zh", "n3", "19", "现货撮合系统升级已完成", "现货撮合系统升级已完成，交易已恢复。"),
  notice(
    "en",
    "n1",
    "18",
    "Lumex lists Orchard Finance (ORCH)",
    "Lumex has opened spot trading of ORCH in the pair ORCH/USDT.",
    ["ORCH"],
  ),
  news("zh", "w1", "19", "比特币站上 10.5 万美元", "比特币价格突破 105,000 美元，为七周来首次。", ["BTC"]),
  news("zh", "w2", "19", "跨链桥 Tidepool 遭攻击，损失约 8700 万美元", "攻击者从 Tidepool 合约转走约 8700 万美元。", [
    "ETH",
  ]),
  news("zh", "w3", "17", "以太坊 Gas 费降至三个月最低", "以太坊主网的平均 Gas 费降至 0.4 Gwei。", ["ETH"]),
  news(
    "en",
    "w1",
    "19",
    "Bitcoin climbs above $105,000",
    "Bitcoin rose above $105,000 for the first time in seven weeks.",
    ["BTC"],
  ),
  news("en", "w4", "18", "Bitcoin climbs above $105,000 again", "Bitcoin rose above $105,000 once more.", ["BTC"]),
  news(
    "en",
    "w2",
    "18",
    "Tidepool bridge exploited for $87 million",
    "An attacker drained about $87 million from the Tidepool bridge.",
    ["ETH"],
  ),
];
