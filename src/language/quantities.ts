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

/** A folded text with its quantities in digits: `十万` becomes `10万`, `a quarter point` becomes `25 bps`. */
export const quantitiesInDigits = (text: string): string => text.replace(IN_WORDS, (words) => SPELLED_OUT.get(words)!);

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
