import { hasHan } from "../../language/detect-language.ts";
import { namedIn, namesIn, newsNames, type Names } from "../../language/name-table.ts";
import { NUMERALS } from "../../language/quantities.ts";
import { isFunctional } from "../../language/stop-words.ts";
import { fold } from "../../language/tokenize.ts";
import { DAY_MS, offsetMinutes } from "../../runtime/clock.ts";
import { patternsOf, rewriter } from "../../runtime/text/patterns.ts";
import { figuresOf, type Figure } from "../grounding/figures.ts";
import { isAbout, isSame } from "../grounding/same-figure.ts";
import type { SourceItem } from "../passage.ts";
import type { IndexedPassage } from "../retrieval/answer-index.ts";
import PATTERNS from "./asked-fact-patterns.json" with { type: "json" };
import TIME from "./asked-period-patterns.json" with { type: "json" };
import { names } from "./chosen-title.ts";
import { joinedWords } from "./question-parts.ts";

const KINDS = PATTERNS.kinds.map((kind) => patternsOf(kind));
const SAYS = patternsOf(PATTERNS.amounts);
const { marks: MARKS, brands: BRAND } = patternsOf({ marks: PATTERNS.marks, brands: PATTERNS.brands.named }, "gu");
const { brands: BRANDS } = PATTERNS;
const SHORTENED = BRANDS.short.map((pair) => rewriter([pair], "u"));
const PERIODS = TIME.periods.map(({ says, ...period }) => ({ ...patternsOf({ says }, "gu"), ...period }));

/** Whether a text certainly lacks what a question asks for: a kind of fact that it does not state at all, such as a range,
 * a maximum or a plan; one of two things; a model or size of which it names only others; a price, of which it states only
 * limits; or the price of something larger than all that it mentions. */
export function lacksFact(question: string, text: string): boolean {
  const [asked, told] = [fold(question), fold(text)];
  if (KINDS.some(({ asks, holds }) => asks.test(asked) && !holds.test(told))) return true;
  if (namesOnlyOthers(asked, told) || numbersOnlyOthers(asked, told) || statesOnlyLimits(asked, told)) return true;
  const isSaid = (word: string): boolean => told.includes(word) || names(told, word, 0.1) || !names(word, word);
  const isNamed = (word: string): boolean => namedIn(word).some(namesIn(text));
  const isComparable = (word: string): boolean => hasHan(asked) === hasHan(told) || namedIn(word).length > 0;
  if (joinedWords(asked).some((word) => isComparable(word) && !isSaid(word) && !isNamed(word))) return true;
  const priced = SAYS.prices.test(asked) ? figuresOf(asked) : [];
  const sizes = priced.filter(({ unit = "" }) => PATTERNS.sizes.includes(unit));
  const stated = sizes.length > 0 ? figuresOf(told) : [];
  return sizes.some(({ unit, value }) => {
    const alike = stated.filter((other) => other.unit === unit);
    return alike.length > 0 && alike.every((other) => other.value < value);
  });
}

/** Whether a question names an institution or brand that a text does not name, nor so many articles that it is their own. */
export function isOfOtherBrand(question: string, text: string, all: readonly IndexedPassage[]): boolean {
  const known = Array.from(newsNames().find(fold(question)), ({ thing }) => thing);
  const named = known.flatMap(({ kind, names }) => (BRANDS.kinds.includes(kind) ? [names] : []));
  const written = Array.from(question.matchAll(BRAND), ([, ...groups]) => [fold(groups.find(Boolean)!)]);
  const others = written.filter(([name = ""]) => hasHan(name) || namedIn(name).length === 0);
  const withShort = (names: Names) => names.flatMap((name) => [name, ...SHORTENED.map((shorten) => shorten(name))]);
  const absent = [...named, ...others].map(withShort).filter((names) => !namesIn(text)(names));
  const help = absent.length === 0 ? [] : all.filter(({ passage }) => passage.kind === "help").slice(0, BRANDS.among);
  const hasOne = help.map(({ passage }) => namesIn(`${passage.title}\n${passage.text}`));
  return absent.some((names) => hasOne.filter((has) => has(names)).length < BRANDS.ownShare * help.length);
}

/** Whether a text names only others of the kind of a model or size in a question: "A320" for "A350", "plan M" for "plan XL". */
function namesOnlyOthers(asked: string, told: string): boolean {
  const words = told.split(/[^a-z\d]+/);
  return marksIn(asked).some(([name = "", mark = ""]) => {
    const isNamed = words.includes(mark) || words.includes(name + mark);
    return !isNamed && marksIn(told).some(([other]) => other === name);
  });
}

const marksIn = (folded: string) => Array.from(folded.matchAll(MARKS), (match) => match.slice(1).filter(Boolean));

/** The same for numbers after a name, outside the range of those in the text: "Fix 36" where there are Fix 12 and Fix 24. */
const numbersOnlyOthers = (asked: string, told: string, least = 2): boolean =>
  numberedIn(asked).some(({ name, value }) => {
    const others = new Set(numberedIn(told).flatMap((other) => (other.name === name ? other.value : [])));
    return others.size >= least && (value < Math.min(...others) || value > Math.max(...others));
  });

const NAME_BEFORE = /(?<![a-z])(?:[a-z]{3,20}|\p{Script=Han}{2})(?= ?$)/u;
const numberedIn = (folded: string) =>
  figuresOf(folded).flatMap(({ kind, value, unit, start }) => {
    const [name] = NAME_BEFORE.exec(folded.slice(Math.max(0, start - 20), start)) ?? [];
    const isNumber = kind === "amount" && unit === undefined;
    return isNumber && name !== undefined && !isFunctional(name) ? [{ name, value }] : [];
  });

/** Whether a question asks for a price, and the sums of a text are only limits, such as sums insured. */
function statesOnlyLimits(asked: string, told: string): boolean {
  if (!SAYS.prices.test(asked) || SAYS.payouts.test(asked)) return false;
  const all = told.split(/[;!?。；！？\n]|\.(?!\d)/);
  const isSum = ({ unit }: Figure) => unit !== undefined && !PATTERNS.quantities.includes(unit);
  const clauses = all.filter((clause) => SAYS.charges.test(clause) || figuresOf(clause).some(isSum));
  return clauses.length > 0 && clauses.every((clause) => SAYS.limits.test(clause) && !SAYS.charges.test(clause));
}

/** Whether a quotation is of another period than a question names (a quarter, a month, a weekday …), or, if it is news, of
 * another amount or model. News that names no such period is of the one of its date, or the month or quarter before. */
export function isOfOther(question: string, source: SourceItem, now: number, zone = "Z"): boolean {
  const read = (text: string, at: number) => readPeriods(text, at + offsetMinutes(zone)! * 60_000);
  const at = Date.parse(source.published_at ?? "") || now;
  const [asked, told] = [read(question, now), read(`${source.title}\n${source.snippet}`, at)];
  const known = new Map([...read(source.kind === "news" ? TIME.implied : "", at).periods, ...told.periods]);
  const isOther = [...asked.periods].some(([kind, all]) => all.some((one) => known.get(kind)?.includes(one) === false));
  if (isOther || source.kind !== "news") return isOther;
  const isMarked = numberedIn(asked.rest).some(({ name }) => marksIn(told.rest).some(([other]) => other === name));
  const has = ([name, of]: string[]) => RegExp(`(?<![a-z\\d])(?:${name}[ -]?)?${of}(?!\\d)`).test(told.rest);
  const amounts = figuresOf(asked.rest).filter(({ unit, value }) => unit !== undefined || value >= 100);
  const isStated = (one: Figure) => figuresOf(told.rest).some((of) => isSame(one, of, isAbout(asked.rest, one)));
  const isOfAll = marksIn(asked.rest).every(has) && amounts.every(isStated) && !isMarked;
  return !isOfAll || numbersOnlyOthers(asked.rest, told.rest, 1);
}

/** The periods that a text names, by kind, and the folded text without them. @param at its time in the reader's zone, ms */
function readPeriods(text: string, at: number) {
  const periods = new Map<string, string[]>();
  const [days, date] = [Math.floor(at / DAY_MS) + 3, new Date(at)]; // Days since a Monday.
  const counts: Readonly<Record<string, number>> = { days, months: date.getUTCFullYear() * 12 + date.getUTCMonth() };
  const read = (folded: string, { says, kind, value, by }: (typeof PERIODS)[number]) =>
    folded.replace(says, (_, ...groups: readonly (string | undefined)[]) => {
      const number = groups.slice(0, -2).find(Boolean) ?? "";
      const count = by && (Math.floor(counts[by.of]! / by.per) + by.shift) % by.among;
      periods.set(kind, [...(periods.get(kind) ?? []), `${value}${count ?? NUMERALS.get(number) ?? number}`]);
      return " ";
    });
  return { rest: PERIODS.reduce(read, fold(text)), periods };
}
