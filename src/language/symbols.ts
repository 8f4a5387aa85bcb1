import { ASSETS, NOT_TICKERS } from "./asset-names.ts";

const KNOWN = new Map(ASSETS.map((asset) => [asset.symbol, asset]));
const NAMES = ASSETS.flatMap(({ symbol, names }) => names.map((name) => ({ symbol, name }))).sort(
  (a, b) => b.name.length - a.name.length || (a.name < b.name ? -1 : 1),
);
const ASSET_OF_NAME = new Map(NAMES.map((named) => [named.name.toLowerCase(), named]));
/** Longest names first, so that "bitcoin cash" is not read as "bitcoin"; Latin names only as whole words. */
const NAME = new RegExp(
  NAMES.map(({ name }) => (/^[a-z ]+$/i.test(name) ? `(?<![\\p{L}\\d])${name}(?![\\p{Script=Latin}\\d])` : name)).join(
    "|",
  ),
  "giu",
);
const TICKER = /(?<![\p{L}\d$])(\$?)([A-Z][A-Z0-9]{1,9})(?![\p{Script=Latin}\d])/gu;
const QUOTED = /[A-Z0-9]\s?[/-]\s?$/;
const QUOTE = /^\s?[/-]\s?(?:USDT?|USDC|BTC|ETH|EUR)\b|^(?:USDT|USDC)\b/;

/**
 * The assets a text is about, in the order of their first mention.
 *
 * Known assets by name or ticker; others by the way tickers are written: `$TIDE`, `TIDE/USDT`, a name with its ticker
 * in brackets (`Tidepool (TIDE)`), or a category of the feed that stands as a ticker in the text. Acronyms of the trade
 * (ETF, SEC, CPI …) are none.
 */
export function detectSymbols(text: string, categories: readonly string[] = []): string[] {
  const found = new Map<string, number>();
  const note = (symbol: string, at: number): void => {
    if (at < (found.get(symbol) ?? Infinity)) found.set(symbol, at);
  };
  for (const match of text.matchAll(NAME)) {
    const { name, symbol } = ASSET_OF_NAME.get(match[0].toLowerCase())!;
    if (name[0] === name[0]!.toLowerCase() || match[0][0] !== match[0][0]!.toLowerCase()) note(symbol, match.index);
  }
  const marked = new Set(categories.map((category) => category.toUpperCase()));
  for (const match of text.matchAll(TICKER)) {
    const symbol = match[2]!;
    if (NOT_TICKERS.has(symbol)) continue;
    const asset = KNOWN.get(symbol);
    const after = text.slice(match.index + match[0].length);
    const before = text.slice(0, match.index);
    if (QUOTED.test(before) && QUOTE.test(`/${symbol}`)) continue;
    const written =
      match[1] === "$" ||
      QUOTE.test(after) ||
      (/[\p{L}\d]\s?[(（]$/u.test(before) && /^[)）]/.test(after) && symbol.length <= 6) ||
      marked.has(symbol);
    if (written || (asset !== undefined && asset.ambiguous !== true)) note(symbol, match.index);
  }
  return Array.from(found)
    .sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1))
    .map(([symbol]) => symbol);
}
