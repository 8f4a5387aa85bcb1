import { assetsInQuestion, namesOfAsset } from "../../language/assets.ts";
import { fold } from "../../language/tokenize.ts";
import { isSame, isStated } from "./same-figure.ts";
import { isOfOtherPart, isOfOtherRow } from "./binding.ts";
import { COUNTED } from "./calculation.ts";
import BOUNDS from "./data/bounds.json" with { type: "json" };
import SOURCES from "./data/literals.json" with { type: "json" };
import { figuresOf, type Figure } from "./figures.ts";
import type { ReplyFault } from "./reply-fault.ts";
import type { SourceClause, SourceText, StatementContext } from "./source-text.ts";
import { clausesOf, type Statement } from "./statements.ts";
import { hasOpposite, isNegated, NO_NAMES, overclaims, SAYS } from "./word-sets.ts";
import { shareOf, tellingOf, wordingOf, type Telling } from "./wording.ts";

const { words: WORDS, shares: LEAST, figures: MOST } = BOUNDS;

/** What is wrong with a statement: undefined when the passages that it cites support it. */
export function checkStatement(statement: Statement, context: StatementContext): ReplyFault | undefined {
  const { text } = statement;
  const folded = fold(text);
  const figures = figuresOf(folded);
  if (context.sources.length === 0) {
    const { words } = tellingOf(text);
    if (isPointer(text, folded, context)) return undefined;
    return words.length < WORDS.few && figures.length === 0 && literalsOf(text).length === 0 ? undefined : "uncited";
  }
  if (!areIn(context.sources, literalsOf(text))) return "link";
  return (
    checkFigures(folded, figures, context) ??
    checkNames(text, context) ??
    checkWords(statement, figures, context) ??
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
  return figuresOf(rest).length === 0 && tellingOf(rest).words.length <= WORDS.pointing;
}

function checkFigures(folded: string, figures: readonly Figure[], context: StatementContext): ReplyFault | undefined {
  const { sources, asked } = context;
  const stated = sources.flatMap((source) => source.figures);
  const counts = figures
    .filter(({ value, unit }) => Number.isInteger(value) && (COUNTED.has(unit) || unit === "time"))
    .slice(0, MOST.parts / 2);
  const before = [...asked.figures.slice(0, MOST.parts), ...context.said.slice(-MOST.parts)];
  const known: Figure[] = [];
  const unknown: Figure[] = [];
  for (const figure of figures) {
    // What was calculated may be calculated with.
    const others = counts.filter((count) => count !== figure);
    const near = [...others, ...before, ...known.slice(-MOST.parts)];
    const isKnown = isStated(figure, folded, { stated, asked: asked.figures, near, far: context.figures });
    (isKnown ? known : unknown).push(figure);
  }
  const isNot = isNegated(folded);
  const wrong = unknown.filter((figure) => {
    if (isHarmless(figure)) return false;
    // What the question supposes may be said again beside what the sources state.
    return !(
      (known.length > 0 || isNot || /[:：]$/.test(folded)) &&
      asked.figures.some((other) => isSame(figure, other, false))
    );
  });
  return wrong.length > 0 ? "figure" : undefined;
}

/** A small number without a unit, in words: "two ways", "one of them". */
const isHarmless = ({ value, unit, inWords, kind }: Figure): boolean =>
  kind === "amount" && inWords && COUNTED.has(unit) && value <= 10;

const NAME = /(?<![\p{L}\d.'’-])[A-Z][\p{Script=Latin}\d]*(?:[-.&'’][\p{Script=Latin}\d]+)*/gu;
const LATIN = /(?<![\p{Script=Latin}\d])[A-Za-z][\p{Script=Latin}\d]*(?:[-.&][\p{Script=Latin}\d]+)*/gu;
/** Names and coins of a statement stand in its sources, or in the question where the sources are about it. */
function checkNames(text: string, { sources, asked }: StatementContext): ReplyFault | undefined {
  const stated = (name: string): boolean =>
    sources.some(({ folded }) => folded.includes(name)) || asked.folded.includes(name);
  const coins = [...assetsInQuestion(text)];
  const known = (coin: string): boolean => namesOfAsset(coin).some((name) => stated(name));
  const isHan = /\p{Script=Han}/u.test(text);
  const words = [...text.matchAll(isHan ? LATIN : NAME)].filter(({ index }) => isHan || !startsSentence(text, index));
  const names = words.map(([word]) => word).filter((word) => !NO_NAMES.has(word.toLowerCase()) && word.length > 1);
  if (coins.some((coin) => !known(coin))) return "name";
  const others = names.filter((name) => !coins.includes(name.toUpperCase()));
  return others.every((name) => stated(fold(name)) || isInWords(name, stated)) ? undefined : "name";
}

/** "Log-in" and "USDT-TRC20" are named when each of their parts is; a plural, when its singular is. */
function isInWords(name: string, stated: (name: string) => boolean): boolean {
  const parts = fold(name)
    .split(/[-.&'’\s/]+/)
    .filter((part) => part !== "");
  return parts.every((part) => stated(part) || stated(part.replace(/(?:es|s|ing|ed)$/, "")) || NO_NAMES.has(part));
}

const startsSentence = (text: string, at: number): boolean =>
  SAYS.sentenceStart.test(text.slice(Math.max(0, at - 4), at));

function checkWords(
  { text }: Statement,
  figures: readonly Figure[],
  { sources, asked }: StatementContext,
): ReplyFault | undefined {
  const telling = tellingOf(text);
  // Where the figures are right, few words say enough.
  if (telling.words.length < WORDS.few + (figures.length > 1 ? 1 : 0)) return undefined;
  const least = leastShare(figures);
  const isSaid = shareOf(telling, ...sources, asked.wording) >= LEAST.asked * least;
  return isSaid && shareOf(telling, ...sources) >= LEAST.alone * least ? undefined : "unsupported";
}

/** What a figure in its right place says need not be said in words. */
function leastShare(figures: readonly Figure[]): number {
  return figures.some(({ kind, unit }) => kind !== "amount" || !COUNTED.has(unit)) ? LEAST.figured : 1;
}

/** Addresses of the web with or without a scheme, mail addresses, names of hosts; telephone numbers, wallets, hashes, users. */
const LITERALS = SOURCES.map((source) => new RegExp(source, "gi"));

/** What a text names that must stand in a source letter by letter, folded: links, mail addresses, numbers to call, wallets. */
function literalsOf(text: string): string[] {
  return LITERALS.flatMap((pattern) => text.match(pattern) ?? [])
    .filter((found) => !SAYS.dateOrAmount.test(found))
    .map((found) => found.toLowerCase().replace(/\/?[.,;:!?]{0,5}$/, ""));
}

interface NearClause extends SourceClause {
  readonly share: number;
}

function checkClauses(text: string, context: StatementContext): ReplyFault | undefined {
  const folded = fold(text);
  let before = "";
  for (const clause of clausesOf(folded)) {
    const telling = tellingOf(clause);
    const near = context.sources
      .flatMap((source) => source.clauses.map((one) => ({ ...one, share: shareOf(telling, one) })))
      .sort((a, b) => b.share - a.share);
    const given = { clause, before, telling, near };
    const fault = checkMeaning(given, context) ?? checkPlaces(given, context);
    if (fault !== undefined) return fault;
    before = `${before} ${clause}`.slice(-300);
  }
  return undefined;
}

interface GivenClause {
  readonly clause: string;
  readonly before: string;
  readonly telling: Telling;
  readonly near: readonly NearClause[]; // The clauses of the sources, the nearest first.
}

function checkMeaning(given: GivenClause, { sources, asked }: StatementContext): ReplyFault | undefined {
  const { clause, telling, near } = given;
  const isTelling = telling.words.length >= WORDS.few;
  if (isTelling && shareOf(telling, ...sources, asked.wording) < LEAST.clause * leastShare(figuresOf(clause)))
    return "unsupported";
  const isNot = isNegated(clause);
  const texts = sources.map(({ folded }) => folded);
  if (overclaims(clause, texts)) return "unsupported";
  const [best] = near;
  if (!isTelling || best === undefined) return undefined;
  const said = wordingOf(clause);
  // What a short clause denies must not be claimed with its words.
  const isDenied = (one: NearClause): boolean =>
    isNegated(one.text) && one.telling.words.length > 1 && shareOf(one.telling, said) >= LEAST.denied;
  if (!isNot && near.some(isDenied)) return "contradiction";
  const alike = near.filter(({ share }) => share >= best.share - LEAST.alike);
  const isOther = alike.every((one) => (isNegated(one.text) !== isNot) !== hasOpposite(clause, one.text));
  return isOther && best.share >= LEAST.subject ? "contradiction" : undefined;
}

function checkPlaces({ clause, before }: GivenClause, { sources }: StatementContext): ReplyFault | undefined {
  const figures = figuresOf(clause)
    .filter(({ kind, inWords }) => kind !== "time" && !inWords)
    .slice(0, MOST.parts);
  const clauses = sources.flatMap((source) => source.clauses);
  const isMisplaced = (figure: Figure): boolean =>
    isOfOtherRow(figure, clause, clauses) || isOfOtherPart(figure, clause, before, clauses);
  return figures.some(isMisplaced) ? "figure" : undefined;
}
