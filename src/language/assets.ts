import { fold } from "./fold.ts";
import { unitsOf } from "./question-terms.ts";
import type { Unit } from "./question-terms.ts";

/** Ticker → the other names of an asset, folded. */
const NAMES: Readonly<Record<string, string>> = {
  BTC: "bitcoin 比特币 大饼 xbt",
  ETH: "ethereum ether 以太坊 以太币 以太 二饼 姨太",
  USDT: "tether 泰达币 泰达",
  USDC: "usdc",
  BNB: "币安币",
  SOL: "solana 索拉纳",
  XRP: "ripple 瑞波币 瑞波",
  DOGE: "dogecoin 狗狗币",
  ADA: "cardano 艾达币",
  TRX: "tron 波场",
  AVAX: "avalanche 雪崩",
  DOT: "polkadot 波卡",
  LTC: "litecoin 莱特币",
  BCH: "比特币现金",
  SHIB: "柴犬币",
  LINK: "chainlink",
  TON: "toncoin",
  SUI: "sui",
  APT: "aptos",
  ARB: "arbitrum",
  OP: "optimism",
  PEPE: "pepe",
  UNI: "uniswap",
  ATOM: "cosmos",
  XLM: "stellar 恒星币",
  ETC: "以太经典",
  FIL: "filecoin",
  NEAR: "near",
  DAI: "dai",
  AAVE: "aave",
  POL: "polygon matic",
  XMR: "monero 门罗币",
};

/** Tickers that are English words too: only capitals count. */
const WORDS = new Set(["LINK", "NEAR", "DOT", "TON", "OP", "ATOM", "UNI", "ADA", "SOL", "ARB", "POL", "DAI", "SUI"]);

const TICKERS = new Map<string, string>();
for (const [ticker, names] of Object.entries(NAMES)) {
  if (!WORDS.has(ticker)) TICKERS.set(ticker.toLowerCase(), ticker);
  for (const name of names.split(" ")) if (!WORDS.has(name.toUpperCase())) TICKERS.set(name, ticker);
}
const LONGEST_NAME = 5;
const NOT_TICKERS = new Set(
  "AI API APP APY APR ATM CEO CPI CTO DAO DCA DEX ETF EU EUR FAQ FED FOMC GDP HK ID IP IPO KYC NFT OCO OK OTC P2P PC PNL PPI QR ROI SEC SMS SWIFT TXID TVL UID UK URL US USA USD CNY UTC VIP I A TP SL PIN PDF CSV FA UI IOS PRO MEMO TAG".split(
    " ",
  ),
);

/**
 * The tickers of the assets that a text names: known names in both languages, tickers in capitals ("ORCH", "LMX"), and
 * whatever stands behind a dollar sign or before /USDT.
 */
export function assetsIn(text: string, units: readonly Unit[] = unitsOf(text)): Set<string> {
  const found = new Set<string>();
  for (const [, marked, pair, capitals] of text.matchAll(
    /\$([A-Za-z]{2,10})\b|\b([A-Za-z0-9]{2,10})[/-]USD[TC]?\b|(?<![A-Za-z0-9-])([A-Z][A-Z0-9]{1,7})(?![A-Za-z0-9])/g,
  )) {
    const ticker = (marked ?? pair ?? capitals ?? "").toUpperCase();
    if (capitals === undefined || !NOT_TICKERS.has(ticker.replace(/\d+$/, "") || ticker)) found.add(ticker);
  }
  const quoteOnly = /[/-]USDT\b/i.test(text) && !/(?<![/\-A-Za-z0-9])USDT\b/i.test(text);
  for (const { text: unit, han } of units) {
    if (!han) {
      if (quoteOnly && unit === "usdt") continue;
      const ticker = TICKERS.get(unit) ?? TICKERS.get(unit.replace(/(?:usdt|usd)$/, ""));
      if (ticker !== undefined) found.add(ticker);
      continue;
    }
    for (let at = 0; at < unit.length; at++) {
      for (let size = LONGEST_NAME; size >= 2; size--) {
        const ticker = TICKERS.get(unit.slice(at, at + size));
        if (ticker === undefined) continue;
        found.add(ticker);
        at += size - 1;
        break;
      }
    }
  }
  return found;
}

/** Whether a text is the name of one asset and nothing else: "BTC", "比特币", "$ORCH". */
export function isAssetName(text: string): boolean {
  const name = text.trim().replace(/[?？!！.。]+$/, "");
  if (TICKERS.has(fold(name))) return true;
  return /^\$?[A-Z][A-Z0-9]{1,7}$/.test(name) && assetsIn(name).size === 1;
}
