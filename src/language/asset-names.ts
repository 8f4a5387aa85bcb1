/** An asset that news write about: its ticker and its names in Chinese and English. */
export interface Asset {
  readonly symbol: string;
  /** In small letters; with a capital where the name is also a word and counts only when it is written as a name. */
  readonly names: readonly string[];
  /** The ticker is also a word; it counts only where it is marked as a ticker: `$OP`, `(OP)`, `OP/USDT`. */
  readonly ambiguous?: boolean;
}

/** Assets known by name. Others are found by the way tickers are written; see `symbols.ts`. */
export const ASSETS: readonly Asset[] = [
  { symbol: "BTC", names: ["bitcoin", "比特币", "比特幣", "大饼"] },
  { symbol: "ETH", names: ["ethereum", "ether", "以太坊", "以太币", "以太幣"] },
  { symbol: "SOL", names: ["solana", "索拉纳"] },
  { symbol: "XRP", names: ["xrp", "瑞波币", "瑞波幣"] },
  { symbol: "BNB", names: ["bnb", "币安币"] },
  { symbol: "DOGE", names: ["dogecoin", "狗狗币", "狗狗幣"] },
  { symbol: "ADA", names: ["cardano", "艾达币"] },
  { symbol: "TRX", names: ["Tron", "波场"] },
  { symbol: "AVAX", names: ["Avalanche", "雪崩协议"] },
  { symbol: "DOT", names: ["polkadot", "波卡"], ambiguous: true },
  { symbol: "LINK", names: ["chainlink"], ambiguous: true },
  { symbol: "LTC", names: ["litecoin", "莱特币", "萊特幣"] },
  { symbol: "BCH", names: ["bitcoin cash", "比特币现金", "比特幣現金"] },
  { symbol: "ETC", names: ["ethereum classic", "以太经典", "以太坊经典"], ambiguous: true },
  { symbol: "MATIC", names: ["Polygon", "马蹄"] },
  { symbol: "ARB", names: ["arbitrum"] },
  { symbol: "OP", names: ["Optimism"], ambiguous: true },
  { symbol: "UNI", names: ["uniswap"], ambiguous: true },
  { symbol: "AAVE", names: ["aave"] },
  { symbol: "ATOM", names: ["cosmos hub", "阿童木币"], ambiguous: true },
  { symbol: "NEAR", names: ["near protocol"], ambiguous: true },
  { symbol: "APT", names: ["aptos"], ambiguous: true },
  { symbol: "SUI", names: ["sui network"] },
  { symbol: "TON", names: ["toncoin"], ambiguous: true },
  { symbol: "SHIB", names: ["shiba inu", "柴犬币"] },
  { symbol: "PEPE", names: ["pepe"] },
  { symbol: "FIL", names: ["filecoin", "文件币"] },
  { symbol: "XMR", names: ["monero", "门罗币", "門羅幣"] },
  { symbol: "EOS", names: ["eos"] },
  { symbol: "XLM", names: ["Stellar lumens", "恒星币"] },
  { symbol: "USDT", names: ["Tether", "泰达币"] },
  { symbol: "USDC", names: ["usd coin"] },
  { symbol: "DAI", names: ["dai"], ambiguous: true },
  { symbol: "MKR", names: ["makerdao"] },
  { symbol: "LDO", names: ["lido"] },
  { symbol: "INJ", names: ["Injective"] },
  { symbol: "TIA", names: ["Celestia"] },
  { symbol: "HYPE", names: ["hyperliquid"], ambiguous: true },
];

/** Acronyms of the trade that look like tickers and are none. */
export const NOT_TICKERS: ReadonlySet<string> = new Set(
  `A AI AMA AML AMM API APR APY ATH ATM AUM BIS BOE BOJ CBDC CEO CEX CFO CFTC CME CNY CPI CTO DAO DEFI DEX DOJ DXY ECB
  EPS ETF ETFS ETN ETP EU EUR EVM FAQ FBI FCA FED FOMC FTSE FUD FX GBP GDP HFT HK HKD HKMA HODL ICO IDO IEO IMF IPO IRS
  IT JPY KYC L1 L2 LLC LLM LP M1 M2 MEV MICA MOU NASDAQ NEW NFT NFTS NYSE OECD OK OTC P2P PBOC PCE PMI POS POW PPI QE QT
  RSI RWA SAFT SDK SEC SFC SG SPAC SPOT TPS TV TVL UAE UK UN US USA USD UTC UTXO VC VIP WEB3 WSJ ZK ZKP`.split(/\s+/),
);
