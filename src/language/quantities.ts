import { readNames, readNumbers } from "../runtime/text/data-rows.ts";

/** Scale words and suffixes of numbers, with their factors. */
export const SCALES = readNumbers(new URL("data/scales.txt", import.meta.url));

/** `NUMERALS`: values of number words. `NUMBER`: regular expression of a number in folded words or digits. */
export const NUMERALS = readNumbers(new URL("data/numerals.txt", import.meta.url));
export const NUMBER = ["\\d{1,4}", ...Array.from(NUMERALS.keys()).sort((a, b) => b.length - a.length)].join("|");

const QUANTITY =
  /(?<![\p{Script=Latin}\d.])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s?(?:(万亿|百万|千万|[千万亿])|(thousand|million|billion|trillion|mln|bln|mn|bn|tn|[kmbt])(?![\p{Script=Latin}\d]))?(?:\s?(%|percent\b(?! point)|per cent\b|pct\b)|\s?(个?基点|bps?\b|basis points?\b|-bp\b)|\s?(个?百分点|percentage points?\b))?/giu;

const SPELLED_OUT = readNames(new URL("data/spelled-quantities.txt", import.meta.url));
const IN_WORDS = new RegExp(
  Array.from(SPELLED_OUT.keys(), (name) => (/^[a-z]/.test(name) ? `\\b${name}\\b` : name))
    .sort((a, b) => b.length - a.length)
    .join("|"),
  "gu",
);

// Not a share: 之一成为, 一成不变, 两成员国, 前三成交额, 三折叠.
const TENTHS =
  /(?<![之第前统唯单合同\d.])([一二两三四五六七八九\d])成([半一二三四五六七八九])?(?!不变|员(?!工)|交(?!易)|年(?!轻)|本(?!土)|[立果功分份都品就绩])/gu;
const PRICE = /(?<![第\d.])([一二三四五六七八九\d])\.?([一二三四五六七八九\d])?折(?![叠屏线页返射])/gu;
const percentOf = (...digits: readonly string[]): number =>
  Number(digits.map((digit) => (digit === "半" ? 5 : (NUMERALS.get(digit) ?? digit))).join(""));

/** A folded text with its quantities in digits: `十万` becomes `10万`, `a quarter point` becomes `25 bps`, `两成半` becomes
 * ` 25%`, and `八五折`, a price of 85%, becomes ` 15%折`. */
export const quantitiesInDigits = (text: string): string =>
  text
    .replace(IN_WORDS, (words) => SPELLED_OUT.get(words)!)
    .replace(TENTHS, (_, tens: string, ones = "0") => ` ${percentOf(tens, ones)}%`)
    .replace(PRICE, (_, tens: string, ones = "0") => ` ${100 - percentOf(tens, ones)}%折`);

/** The quantities of a folded text in any notation: `$105K`, `105,000` and `10.5 万` are one value, as are `14.2 亿` and
 * `1.42B`. The unit is `%`, `bp` (basis points) or empty. */
export const quantitiesOf = (text: string) =>
  Array.from(text.matchAll(QUANTITY), (match) => {
    const [whole, digits = "", han, latin, percent, points, percentPoints] = match;
    const scale = (SCALES.get((han ?? latin ?? "").toLowerCase()) ?? 1) * (percentPoints === undefined ? 1 : 100);
    return {
      value: Number(digits.replaceAll(",", "")) * scale,
      unit: percent !== undefined ? ("%" as const) : (points ?? percentPoints) === undefined ? "" : "bp",
      start: match.index,
      end: match.index + whole.length,
    };
  });
