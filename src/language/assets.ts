import { readRows, readWords } from "../runtime/text/data-rows.ts";
import { fold, tokenize, type Token } from "./tokenize.ts";
import { hasHan } from "./detect-language.ts";
import { patternsOf } from "../runtime/text/patterns.ts";
import { toSimplified } from "./traditional.ts";
import PATTERNS from "./asset-patterns.json" with { type: "json" };

/** Assets with known Chinese and English names; other assets are detected by ticker notation. Casual names match only in
 * questions, because news uses them as ordinary words. An ambiguous ticker is also an ordinary word. */
export const ASSETS = readRows(new URL("data/assets.txt", import.meta.url)).map(
  ([[symbol = "", mark = ""] = [], names = [], casual = []]) => {
    return { symbol, names, casual, isAmbiguous: mark === "ambiguous" };
  },
);

/** Acronyms that look like tickers. */
export const NOT_TICKERS: ReadonlySet<string> = new Set(readWords(new URL("data/acronyms.txt", import.meta.url)));
const KNOWN = new Map(ASSETS.map((asset) => [asset.symbol, asset]));
const NAMES = ASSETS.flatMap(({ symbol, names, casual }) => [
  ...names.map((name) => ({ symbol, name, casual: false })),
  ...casual.map((name) => ({ symbol, name, casual: true })),
]).sort((a, b) => b.name.length - a.name.length || (a.name < b.name ? -1 : 1));
const ASSET_OF_NAME = new Map(NAMES.map((named) => [named.name.toLowerCase(), named]));
const LATIN_NAMES = NAMES.map(({ name }) => name).filter((name) => /^[a-z ]+$/i.test(name));
const HAN_NAMES = NAMES.map(({ name }) => name).filter((name) => !LATIN_NAMES.includes(name));
/** Matches the longest name, so that "bitcoin cash" is not read as "bitcoin"; Latin names match only as whole words. */
const NAME = new RegExp(`(?<![a-z\\d])(?:${LATIN_NAMES.join("|")})(?![a-z\\d])|${HAN_NAMES.join("|")}`, "gi");

const SMALL_TICKERS = new Map(
  ASSETS.filter(({ isAmbiguous }) => !isAmbiguous).map(({ symbol }) => [symbol.toLowerCase(), symbol]),
);
const TICKER_IN_QUESTION =
  /\$([A-Za-z]{2,10})\b|\b([A-Za-z0-9]{2,10})[/-]USD[TC]?\b|(?<![A-Za-z0-9-])([A-Z][A-Z0-9]{1,7})(?![A-Za-z0-9])/g;

/** The tickers of the assets named in a question, or in a title that is compared with one. Matching is lenient: names and
 * known tickers match in any case, and an unknown word in capitals is a ticker ("ORCH") unless it is an acronym.
 * @example assetsInQuestion("比特币和 sol 怎么样"); // Set { "BTC", "SOL" } */
export function assetsInQuestion(text: string, tokens: readonly Token[] = tokenize(text)): Set<string> {
  const found = new Set<string>();
  for (const [, marked, pair, capitals] of text.matchAll(TICKER_IN_QUESTION)) {
    const ticker = (marked ?? pair ?? capitals ?? "").toUpperCase();
    if (capitals === undefined || !NOT_TICKERS.has(ticker.replace(/(?<!\d)\d+$/, "") || ticker)) found.add(ticker);
  }
  for (const [name] of fold(text).matchAll(NAME)) found.add(ASSET_OF_NAME.get(name)!.symbol);
  const quoteOnly = /[/-]USDT\b/i.test(text) && !/(?<![/\-A-Za-z0-9])USDT\b/i.test(text);
  for (const { text: token } of tokens) {
    const ticker = SMALL_TICKERS.get(token) ?? SMALL_TICKERS.get(token.replace(/(?:usdt|usd)$/, ""));
    if (ticker !== undefined && !(quoteOnly && token === "usdt")) found.add(ticker);
  }
  return found;
}

/** Whether a text is the name of one asset and nothing else: "BTC", "比特币", "$ORCH". */
export function isAssetName(text: string): boolean {
  const name = text.trim().replace(/(?<![?？!！.。])[?？!！.。]+$/, "");
  const folded = fold(name);
  if (ASSET_OF_NAME.has(folded) || SMALL_TICKERS.has(folded)) return true;
  return /^\$?[A-Z][A-Z0-9]{1,7}$/.test(name) && assetsInQuestion(name).size === 1;
}

const TICKER_IN_NEWS = /(?<![\p{L}\d$])(\$?)([A-Z][A-Z0-9]{1,9})(?![\p{Script=Latin}\d])/gu;
const CONTEXT = 10; // Characters examined on each side of a ticker.
const QUOTED = /[A-Z0-9]\s?[/-]\s?$/;
const QUOTE = /^\s?[/-]\s?(?:USDT?|USDC|BTC|ETH|EUR)\b|^(?:USDT|USDC)\b/;

const IS = patternsOf(PATTERNS, "iu");

/** Whether a name in a text, which may also be a word, a place or a person, means the asset: a word of the trade is near
 * it or supports it elsewhere, or it is a Latin name in Chinese; and the words next to it make no other name of it. */
function isAsset(text: string, at: number, name: string, others: string): boolean {
  if (!IS.isWord.test(name)) return true;
  const marked = `${text.slice(0, at).split("\n").at(-1)}<${name}>${text.slice(at + name.length).split("\n")[0]}`;
  const isLatin = !hasHan(name) && hasHan(marked);
  const isMeant = isLatin || IS.near.test(marked) || IS.support.test(`${text}\n${others}`);
  return isMeant && !IS.other.test(marked);
}

/** The assets that a news text is about, in order of first mention. Acronyms and ordinary words in news look like asset
 * names, so this rule is stricter than the one for questions (where it would lower routing accuracy from 0.927 to 0.919
 * on the product's own questions). Known assets match by ticker or by name; a
 * name that is also a word, a place or a person must be supported (`isAsset`). Other assets match by ticker notation:
 * `$TIDE`, `TIDE/USDT`, a name followed by its ticker in brackets (`Tidepool (TIDE)`), or a ticker that is also a
 * category of the feed.
 * @example assetsInNews("Tidepool (TIDE) drained as bitcoin and ETF flows rise"); // ["TIDE", "BTC"] */
export function assetsInNews(text: string, categories: readonly string[] = []): string[] {
  const found: { readonly symbol: string; readonly at: number }[] = [];
  const marked = new Set(categories.map((category) => category.toUpperCase()));
  const tickers = Array.from(text.matchAll(TICKER_IN_NEWS));
  const simplified = toSimplified(text);
  for (const { 0: called, index: at } of simplified.matchAll(NAME)) {
    const { name, symbol, casual } = ASSET_OF_NAME.get(called.toLowerCase())!;
    const isWritten = name[0] === name[0]!.toLowerCase() || called[0] !== called[0]!.toLowerCase();
    const isMarked = marked.has(symbol) || tickers.some(({ 2: ticker, index }) => ticker === symbol && index !== at);
    const others = isMarked ? "crypto" : categories.join();
    if (!casual && isWritten && isAsset(simplified, at, called, others)) found.push({ symbol, at });
  }
  for (const match of tickers) {
    const symbol = match[2]!;
    if (NOT_TICKERS.has(symbol)) continue;
    const asset = KNOWN.get(symbol);
    const end = match.index + match[0].length;
    const after = text.slice(end, end + CONTEXT);
    const before = text.slice(Math.max(0, match.index - CONTEXT), match.index);
    if (QUOTED.test(before) && QUOTE.test(`/${symbol}`)) continue;
    const isTicker =
      match[1] === "$" ||
      QUOTE.test(after) ||
      (/[\p{L}\d]\s?[(（]$/u.test(before) && /^[)）]/.test(after) && symbol.length <= 6) ||
      marked.has(symbol);
    if (isTicker || asset?.isAmbiguous === false) found.push({ symbol, at: match.index });
  }
  found.sort((a, b) => a.at - b.at || (a.symbol < b.symbol ? -1 : 1));
  return [...new Set(found.map(({ symbol }) => symbol))];
}

/** The symbol of the asset whose name or ticker is a folded word. */
export const assetOfWord = (word: string): string | undefined =>
  ASSET_OF_NAME.get(word)?.symbol ?? SMALL_TICKERS.get(word);

/** The ticker and the names of an asset, folded; only the ticker for an unknown asset. */
export function namesOfAsset(symbol: string): string[] {
  const { names = [], casual = [] } = KNOWN.get(symbol) ?? {};
  return [symbol, ...names, ...casual].map(fold);
}
