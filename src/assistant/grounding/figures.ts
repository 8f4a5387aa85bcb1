import { ASSETS } from "../../language/assets.ts";
import { SCALES } from "../../language/quantities.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { readNames, readNumbers } from "../../runtime/text/data-rows.ts";
import PATTERNS from "./data/figure-patterns.json" with { type: "json" };

/** A figure of a text: an amount with its unit, a date, or a time of day. */
export interface Figure {
  readonly kind: "amount" | "date" | "time";
  /** Amount: in base units. Date: month × 100 + day, with 0 for a missing part. Time: minutes since midnight. */
  readonly value: number;
  /** The dimension of an amount's unit; the year of a date; undefined when it is not stated. */
  readonly unit: string | undefined;
  readonly factor: number; // Base units per unit.
  readonly decimals: number; // Decimal places as written, which give its rounding.
  readonly inWords: boolean; // Written in words or Chinese numerals.
  readonly start: number;
  readonly end: number;
}

type Value = Pick<Figure, "value"> & Partial<Figure>;
type Groups = Readonly<Record<string, string | undefined>>;

const UNITS = new Map(
  Array.from(readNames(new URL("data/units.txt", import.meta.url)), ([name, unit]) => {
    const [dimension = "", factor = ""] = unit.split(" ");
    return [name, { dimension, factor: Number(factor) }];
  }),
);
/** The units of each dimension. */
export const FACTORS = groupBy([...UNITS.values()], ({ dimension }) => dimension);
/** The names of units, the longest first, and the words for numbers. */
export const UNIT_NAMES: readonly string[] = [...UNITS.keys()].sort((a, b) => b.length - a.length);
const WORDS = readNumbers(new URL("data/number-words.txt", import.meta.url));
export const NUMBER_WORDS: readonly string[] = [...WORDS.keys()];
const TICKERS = new Set(ASSETS.map(({ symbol }) => symbol.toLowerCase()));

const ANY_UNIT = UNIT_NAMES.join("|").replaceAll("$", "\\$");
/** A unit after a number; a Latin unit must be a whole word. Another short word may be a ticker. */
const UNIT = new RegExp(`[\\s-]{0,2}(?:(${ANY_UNIT})(?![a-z])|([a-z]{2,6})(?![a-z]))`, "y");
const CURRENCY_BEFORE = /((?:us|hk|s)?\$|[¥€£]|(?<![a-z])(?:usd|eur|gbp|cny|rmb|hkd|sgd|jpy|idr|php|inr|aud|day))\s?$/;
const RANGE = /^\s{0,2}(?:[-–—~～至到、/]|to|and|or|或者?|和)\s{0,2}$/;
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const WEEKDAYS = "mon tue wed thu fri sat sun 一 二 三 四 五 六 日".split(" ");
const READERS = { amount: amountOf, date: dateOf, time: timeOf };
const NOTATIONS = PATTERNS.map(({ kind, pattern }) => ({
  kind: kind as Figure["kind"],
  pattern: new RegExp(pattern.replaceAll("{words}", NUMBER_WORDS.join("|")), "gu"),
}));

/** The figures of a folded text in any notation. Linear time. */
export const figuresOf = memoized((folded: string): readonly Figure[] => {
  const figures: Figure[] = [];
  let rest = folded;
  for (const { kind, pattern } of NOTATIONS) {
    let read = "";
    for (const match of rest.matchAll(pattern)) {
      const [start, end] = [match.index, match.index + match[0].length];
      const found = READERS[kind](match.groups!, { text: rest, start, end });
      if (found === undefined) continue;
      figures.push({ kind, unit: undefined, factor: 1, decimals: 0, inWords: false, start, end, ...found });
      read += rest.slice(read.length, start) + " ".repeat(end - start);
    }
    rest = read + rest.slice(read.length);
  }
  figures.sort((a, b) => a.start - b.start);
  return figures.map((figure, at) => inUnitOfRange(figure, figures[at + 1], folded));
}, 5000);

/** Gives the first figure of a range the unit of the second: "1–3 days" is 1 day to 3 days. */
function inUnitOfRange(figure: Figure, next: Figure | undefined, text: string): Figure {
  if (figure.kind !== "amount" || figure.unit !== undefined || next?.kind !== "amount") return figure;
  if (next.start - figure.end > 8 || !RANGE.test(text.slice(figure.end, next.start))) return figure;
  return { ...figure, unit: next.unit, value: figure.value * next.factor, factor: next.factor };
}

function dateOf({ year, month = "", day = "" }: Groups): Value | undefined {
  const [m, d] = [MONTHS.indexOf(month.slice(0, 3)) + 1 || Number(month), Number(day)];
  const value = m > 12 ? d * 100 + m : m * 100 + d; // A month above 12 is a day: the date has the other order.
  return value > 0 && value < 1232 && value % 100 < 32 ? { value, unit: year } : undefined;
}

function timeOf(groups: Groups): Value | undefined {
  const { clock, part = "", hour: hours = "", minute: minutes, han, half, meridiem } = groups;
  if (clock !== undefined) return { value: clock.endsWith("午夜") || /^m.*t$|零/.test(clock) ? 0 : 720 };
  const hour = parseHan(hours);
  const minute = half === undefined ? Number(minutes ?? han ?? 0) : 30;
  if (hour > 24 || minute > 59) return undefined;
  const isLate = meridiem === "p" || /[下晚傍]/.test(part);
  const isTwelve = hour === 12 && (isLate || meridiem === "a" || /[夜凌]/.test(part));
  return { value: ((isTwelve ? 0 : hour) + (isLate && hour <= 12 ? 12 : 0)) * 60 + minute };
}

type Place = Pick<Figure, "start" | "end"> & { readonly text: string };

function amountOf(groups: Groups, place: Place): Value | undefined {
  const weekday = WEEKDAYS.indexOf(groups["weekday"] ?? groups["xingqi"]?.replace("天", "日") ?? "none");
  if (weekday >= 0) return { value: weekday % 7, unit: "weekday", inWords: true };
  const { digits, scale = "", percent, half, word = "", second = "" } = groups;
  const span = groups["span"] ?? groups["over"] ?? groups["adverb"] ?? groups["every"];
  if (span !== undefined) return { value: UNITS.get(span)!.factor, unit: "time", inWords: true };
  if (percent !== undefined) return { value: parseHan(percent), unit: "percent", inWords: true };
  const found = unitOf(place);
  const { factor = 1, dimension: unit, end = place.end } = found ?? {};
  if (digits !== undefined) {
    // "2FA" and "3D" are names.
    if (found === undefined && scale === "" && /[a-z]/.test(place.text[place.end] ?? "")) return undefined;
    const plain = digits.replace(/[,\u00a0 ]/g, "");
    const times = scale === "百" ? 100 : (SCALES.get(scale) ?? 1);
    const decimals = (plain.split(".")[1]?.length ?? 0) - Math.round(Math.log10(times));
    return { value: Number(plain) * times * factor, unit, factor, decimals, end };
  }
  const [a, b] = [WORDS.get(word) ?? 0, WORDS.get(second) ?? 0];
  const inLatin = half === undefined ? (second === "hundred" ? a * b : a + b) : 0.5;
  const value = groups["numeral"] === undefined ? inLatin : parseHan(groups["numeral"]);
  return { value: value * factor, unit, factor, inWords: true, end };
}

function unitOf({ text, start, end }: Place): { dimension: string; factor: number; end?: number } | undefined {
  UNIT.lastIndex = end;
  const [whole = "", name, word] = UNIT.exec(text) ?? [];
  const behind = name === undefined ? undefined : { ...UNITS.get(name)!, end: end + whole.length };
  const before = CURRENCY_BEFORE.exec(text.slice(Math.max(0, start - 5), start))?.[1];
  if (before !== undefined && behind?.dimension !== "percent") return UNITS.get(before);
  if (behind !== undefined) return behind;
  return word !== undefined && TICKERS.has(word) ? { dimension: word, factor: 1, end: end + whole.length } : undefined;
}

const HAN_DIGITS = "零一二三四五六七八九";
const HAN_UNITS = Object.entries({ 亿: 1e8, 万: 1e4, 千: 1000, 百: 100, 十: 10 });

/** A number in Chinese numerals or digits: 一百二十 is 120, 三万 is 30,000, 两点五 is 2.5, 半 is 0.5. */
function parseHan(numeral: string): number {
  if (numeral === "半") return 0.5;
  for (const [unit, factor] of HAN_UNITS) {
    const at = numeral.lastIndexOf(unit);
    if (at !== -1) return (parseHan(numeral.slice(0, at)) || 1) * factor + parseHan(numeral.slice(at + 1));
  }
  const plain = numeral.replaceAll("〇", "零").replaceAll("两", "二").replaceAll("点", ".");
  return Number(plain.replace(/[零一二三四五六七八九]/g, (digit) => String(HAN_DIGITS.indexOf(digit)))) || 0;
}
