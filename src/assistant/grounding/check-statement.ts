import { assetsInQuestion, namesOfAsset } from "../../language/assets.ts";
import { fold } from "../../language/tokenize.ts";
import { isAbout, isSame, isStated } from "./same-figure.ts";
import { isOfOtherPart, isOfOtherRow } from "./binding.ts";
import { COUNT_UNITS, isResult } from "./calculation.ts";
import BOUNDS from "./data/bounds.json" with { type: "json" };
import SOURCES from "./data/literals.json" with { type: "json" };
import { figuresOf, type Figure } from "./figures.ts";
import type { ReplyFault } from "./reply-fault.ts";
import type { SourceClause, SourceText, StatementContext } from "./source-text.ts";
import { clausesOf, type Statement } from "./statements.ts";
import { hasOpposite, isNegated, NO_NAMES, overclaims, SAYS } from "./word-sets.ts";
import { shareOf, contentOf, wordingOf } from "./wording.ts";

const { words: WORDS, shares: LEAST, figures: MOST } = BOUNDS;

/** The fault of a statement; undefined when the passages that it cites support it. */
export function checkStatement({ text }: Statement, context: StatementContext): ReplyFault | undefined {
  const folded = fold(text);
  const figures = figuresOf(folded);
  if (context.sources.length === 0) {
    const { words } = contentOf(text);
    if (isPointer(text, folded, context)) return undefined;
    return words.length < WORDS.few && figures.length === 0 && literalsOf(text).length === 0 ? undefined : "uncited";
  }
  if (!areIn(context.sources, literalsOf(text))) return "link";
  return (
    checkFigures(folded, figures, context) ??
    checkNames(text, context) ??
    checkWords(text, figures, context) ??
    checkClauses(text, context)
  );
}

const areIn = (sources: readonly SourceText[], literals: readonly string[]): boolean =>
  literals.every((literal) => sources.some(({ folded }) => folded.includes(literal)));

/** Whether a sentence only points to an address of one of the passages: "See https://… for the whole page." */
function isPointer(text: string, folded: string, { all }: StatementContext): boolean {
  const literals = literalsOf(text);
  if (literals.length === 0 || !areIn(all, literals)) return false;
  const rest = literals.reduce((left, literal) => left.replaceAll(literal, " "), folded);
  return figuresOf(rest).length === 0 && contentOf(rest).words.length <= WORDS.pointing;
}

function checkFigures(folded: string, figures: readonly Figure[], context: StatementContext): ReplyFault | undefined {
  const { sources, asked } = context;
  const stated = sources.flatMap((source) => source.figures);
  const isCount = ({ value, unit }: Figure) => Number.isInteger(value) && (COUNT_UNITS.has(unit) || unit === "time");
  const counts = figures.filter(isCount).slice(0, MOST.parts / 2);
  const before = [...asked.figures.slice(0, MOST.parts), ...context.said.slice(-MOST.parts)];
  const known: Figure[] = [];
  const unknown = figures.filter((figure) => {
    // A calculated figure may be an operand of the next calculation.
    const near = [...counts.filter((count) => count !== figure), ...before, ...known.slice(-MOST.parts)];
    const isKnown =
      isStated(figure, folded, { stated, asked: asked.figures, near, far: context.figures }) ||
      isResult(figure, context.results, isAbout(folded, figure));
    if (isKnown) known.push(figure);
    return !isKnown;
  });
  // A figure of the question may be repeated next to figures that the sources state.
  const mayRepeat = known.length > 0 || isNegated(folded) || /[:：]$/.test(folded);
  const isRepeated = (figure: Figure) => mayRepeat && asked.figures.some((other) => isSame(figure, other, false));
  // A small number in words without a unit: "two ways", "one of them".
  const isHarmless = ({ value, unit, inWords, kind }: Figure) =>
    kind === "amount" && inWords && COUNT_UNITS.has(unit) && value <= 10;
  return unknown.every((figure) => isHarmless(figure) || isRepeated(figure)) ? undefined : "figure";
}

const NAME = /(?<![\p{L}\d.'’-])[A-Z][\p{Script=Latin}\d]*(?:[-.&'’][\p{Script=Latin}\d]+)*/gu;
const LATIN = /(?<![\p{Script=Latin}\d])[A-Za-z][\p{Script=Latin}\d]*(?:[-.&][\p{Script=Latin}\d]+)*/gu;
/** The names and coins of a statement must occur in its sources or in the question. */
function checkNames(text: string, { sources, asked }: StatementContext): ReplyFault | undefined {
  const stated = (name: string) => sources.some(({ folded }) => folded.includes(name)) || asked.folded.includes(name);
  const coins = [...assetsInQuestion(text)];
  const isHan = /\p{Script=Han}/u.test(text);
  const startsSentence = (at: number) => SAYS.sentenceStart.test(text.slice(Math.max(0, at - 4), at));
  const words = [...text.matchAll(isHan ? LATIN : NAME)].filter(({ index }) => isHan || !startsSentence(index));
  const names = words.map(([word]) => word).filter((word) => !NO_NAMES.has(word.toLowerCase()) && word.length > 1);
  if (!coins.every((coin) => namesOfAsset(coin).some(stated))) return "coin";
  const others = names.filter((name) => !coins.includes(name.toUpperCase()));
  return others.every((name) => stated(fold(name)) || isInWords(name, stated)) ? undefined : "name";
}

/** A compound like "Log-in" or "USDT-TRC20" is named if each of its parts is; a plural, if its singular is. */
function isInWords(name: string, stated: (name: string) => boolean): boolean {
  const parts = fold(name).match(/[^-.&'’\s/]+/g) ?? [];
  return parts.every((part) => stated(part) || stated(part.replace(/(?:es|s|ing|ed)$/, "")) || NO_NAMES.has(part));
}

function checkWords(text: string, figures: readonly Figure[], { sources, asked }: StatementContext) {
  const content = contentOf(text);
  // Few words suffice if the figures are right.
  if (content.words.length < WORDS.few + (figures.length > 1 ? 1 : 0)) return undefined;
  const least = leastShare(figures);
  const isSaid = shareOf(content, ...sources, asked.wording) >= LEAST.asked * least;
  return isSaid && shareOf(content, ...sources) >= LEAST.alone * least ? undefined : "unsupported";
}

/** A factor of the minimum share of words: a statement with figures needs fewer supported words. */
const leastShare = (figures: readonly Figure[]): number =>
  figures.some(({ kind, unit }) => kind !== "amount" || !COUNT_UNITS.has(unit)) ? LEAST.figured : 1;

/** Addresses of the web with or without a scheme, mail addresses, names of hosts; telephone numbers, wallets, hashes, users. */
const LITERALS = SOURCES.map((source) => new RegExp(source, "gi"));

/** The literals of a text that must occur verbatim in a source, folded: links, mail addresses, phone numbers, wallets. */
const literalsOf = (text: string): string[] =>
  LITERALS.flatMap((pattern) => text.match(pattern) ?? [])
    .filter((found) => !SAYS.dateOrAmount.test(found))
    .map((found) => found.toLowerCase().replace(/\/?[.,;:!?]{0,5}$/, ""));

function checkClauses(text: string, context: StatementContext): ReplyFault | undefined {
  let before = "";
  for (const clause of clausesOf(fold(text))) {
    const fault = checkMeaning(clause, context) ?? checkPlaces(clause, before, context);
    if (fault !== undefined) return fault;
    before = `${before} ${clause}`.slice(-300);
  }
  return undefined;
}

function checkMeaning(clause: string, { sources, asked }: StatementContext): ReplyFault | undefined {
  const content = contentOf(clause);
  const hasContent = content.words.length >= WORDS.few;
  if (hasContent && shareOf(content, ...sources, asked.wording) < LEAST.clause * leastShare(figuresOf(clause)))
    return "unsupported";
  const texts = sources.map(({ folded }) => folded);
  if (overclaims(clause, texts)) return "unsupported";
  if (!hasContent) return undefined;
  const all = sources.flatMap(({ clauses }) => clauses);
  const shares = new Map(all.map((one) => [one, shareOf(content, one)]));
  const best = Math.max(0, ...shares.values());
  const said = wordingOf(clause);
  const isNot = isNegated(clause);
  // The statement must not claim, in its words, what a negated clause denies.
  const isDenied = (one: SourceClause): boolean =>
    isNegated(one.text) && one.content.words.length > 1 && shareOf(one.content, said) >= LEAST.denied;
  if (!isNot && all.some(isDenied)) return "contradiction";
  const alike = all.filter((one) => shares.get(one)! >= best - LEAST.alike);
  const isOther = alike.every((one) => (isNegated(one.text) !== isNot) !== hasOpposite(clause, one.text));
  return isOther && best >= LEAST.subject ? "contradiction" : undefined;
}

function checkPlaces(clause: string, before: string, { sources }: StatementContext): ReplyFault | undefined {
  const figures = figuresOf(clause).filter(({ kind, inWords }) => kind !== "time" && !inWords);
  const clauses = sources.flatMap((source) => source.clauses);
  const isMisplaced = (figure: Figure): boolean =>
    isOfOtherRow(figure, clause, clauses) || isOfOtherPart(figure, clause, before, clauses);
  return figures.slice(0, MOST.parts).some(isMisplaced) ? "place" : undefined;
}
