import { readNames, readNumbers } from "../runtime/text/data-rows.ts";
import { patternsOf } from "../runtime/text/patterns.ts";
import PATTERNS from "./quantity-patterns.json" with { type: "json" };

/** A quantity in digits; tenths, as in 两成, but not 两成员国 or 之一成为; a price in tenths, as in 八折, but not 三折叠. */
const { quantity: QUANTITY, tenths: TENTHS, price: PRICE } = patternsOf(PATTERNS, "giu");

/** Scale words and suffixes of numbers, with their factors. */
export const SCALES = readNumbers(new URL("data/scales.txt", import.meta.url));

/** `NUMERALS`: values of number words. `NUMBER`: regular expression of a number in folded words or digits. */
export const NUMERALS = readNumbers(new URL("data/numerals.txt", import.meta.url));
export const NUMBER = ["\\d{1,4}", ...Array.from(NUMERALS.keys()).sort((a, b) => b.length - a.length)].join("|");

const SPELLED_OUT = readNames(new URL("data/spelled-quantities.txt", import.meta.url));
const WORDED = Array.from(SPELLED_OUT.keys(), (name) => (/^[a-z]/.test(name) ? `\\b${name}\\b` : name));
const IN_WORDS = new RegExp(WORDED.sort((a, b) => b.length - a.length).join("|"), "gu");

const percentOf = (tens: string, ones = "0"): number =>
  Number([tens, ones].map((digit) => (digit === "半" ? 5 : (NUMERALS.get(digit) ?? digit))).join(""));

/** A folded text with its quantities in digits: `十万` becomes `10万`, `a quarter point` becomes `25 bps`, `两成半` becomes
 * ` 25%`, and `八五折`, a price of 85%, becomes ` 15%折`. */
export const quantitiesInDigits = (text: string): string =>
  text
    .replace(IN_WORDS, (words) => SPELLED_OUT.get(words)!)
    .replace(TENTHS, (_, tens: string, ones?: string) => ` ${percentOf(tens, ones)}%`)
    .replace(PRICE, (_, tens: string, ones?: string) => ` ${100 - percentOf(tens, ones)}%折`);

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
