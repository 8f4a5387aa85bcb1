import { assetsInQuestion, namesOfAsset } from "../../language/assets.ts";
import { fold } from "../../language/tokenize.ts";
import { isSame, isStated } from "./check-figures.ts";
import SOURCES from "./data/literals.json" with { type: "json" };
import { figuresOf, type Figure } from "./figures.ts";
import type { ReplyFault } from "./reply-fault.ts";
import { checkClauses, FEW_WORDS } from "./check-clauses.ts";
import type { SourceText, StatementContext } from "./source-text.ts";
import type { Statement } from "./statements.ts";
import { isNegated, NO_NAMES } from "./word-sets.ts";

/** Least share of a statement's words that its sources or the question say; its sources alone. */
const LEAST = { own: 0.5, inherited: 0.55, alone: 0.35 };
/** Most telling words of a sentence that points to an address. */
const MOST_POINTING = 6;
/** Most figures of a statement that others are computed from. */
const MOST_PARTS = 10;
/** A number of the question up to this one may count things, whatever its unit. */
const MOST_COUNTED = 100;

/** What is wrong with a statement: undefined when the passages that it cites support it. */
export function checkStatement(statement: Statement, context: StatementContext): ReplyFault | undefined {
  const { text } = statement;
  const folded = fold(text);
  const figures = figuresOf(folded, context.tickers);
  if (context.sources.length === 0) {
    const { words } = context.wordings.telling(text);
    if (isPointer(text, folded, context)) return undefined;
    return words.length < FEW_WORDS && figures.length === 0 && literalsOf(text).length === 0 ? undefined : "uncited";
  }
  if (!areIn(context.sources, literalsOf(text))) return "link";
  return (
    checkFigures(folded, figures, context) ??
    checkNames(text, context) ??
    checkWords(statement, figures, context) ??
    checkClauses(text, context)
  );
}

/** Whether each literal stands in one of the sources. */
function areIn(sources: readonly SourceText[], literals: readonly string[]): boolean {
  return literals.every((literal) => sources.some(({ folded }) => folded.includes(literal)));
}

/** Whether a sentence only points to an address of one of the passages: "See https://… for the whole page." */
function isPointer(text: string, folded: string, { wordings, all }: StatementContext): boolean {
  const literals = literalsOf(text);
  if (literals.length === 0 || !areIn(all, literals)) return false;
  const rest = literals.reduce((left, literal) => left.replaceAll(literal, " "), folded);
  return figuresOf(rest).length === 0 && wordings.telling(rest).words.length <= MOST_POINTING;
}

function checkFigures(folded: string, figures: readonly Figure[], context: StatementContext): ReplyFault | undefined {
  const { sources, asked } = context;
  const stated = sources.flatMap((source) => source.figures);
  const counts = figures
    .filter(({ value, unit = "count" }) => Number.isInteger(value) && COUNTED.has(unit))
    .slice(0, MOST_PARTS);
  // "3 BTC withdrawals" are three, too.
  const numbers = asked.figures
    .filter(({ value }) => value <= MOST_COUNTED)
    .map((figure) => ({ ...figure, unit: undefined }));
  const parts = [...context.figures, ...asked.figures, ...numbers, ...counts];
  const known: Figure[] = [];
  const unknown: Figure[] = [];
  for (const figure of figures) {
    // What was computed may be computed with.
    const isKnown = isStated(figure, folded, stated, asked.figures, [...parts, ...known.slice(-MOST_PARTS)]);
    (isKnown ? known : unknown).push(figure);
  }
  const isNot = isNegated(folded);
  const wrong = unknown.filter((figure) => {
    if (isHarmless(figure)) return false;
    // What the question supposes may be said again beside what the sources state.
    return !((known.length > 0 || isNot) && asked.figures.some((other) => isSame(figure, other, false)));
  });
  return wrong.length > 0 ? "figure" : undefined;
}

/** Units of numbers that say how many: "three times", "for 12 months". */
const COUNTED: ReadonlySet<string> = new Set(["count", "times", "time"]);

/** A small number without a unit, in words: "two ways", "one of them". */
function isHarmless({ value, unit = "count", inWords, kind }: Figure): boolean {
  return kind === "amount" && inWords && unit !== "time" && COUNTED.has(unit) && value <= 10;
}

const NAME = /(?<![\p{L}\d.'’-])[A-Z][\p{Script=Latin}\d]*(?:[-.&'’][\p{Script=Latin}\d]+)*/gu;
const LATIN = /(?<![\p{Script=Latin}\d])[A-Za-z][\p{Script=Latin}\d]*(?:[-.&][\p{Script=Latin}\d]+)*/gu;
const QUOTED = /[“"「『《]([^”"」』》\n]{2,60})[”"」』》]/g;
/** Names and coins of a statement stand in its sources, or in the question where the sources are about it. */
function checkNames(text: string, { sources, asked }: StatementContext): ReplyFault | undefined {
  const stated = (name: string): boolean =>
    sources.some(({ folded }) => folded.includes(name)) || asked.folded.includes(name);
  const coins = [...assetsInQuestion(text)];
  const known = (coin: string): boolean => namesOfAsset(coin).some((name) => stated(name));
  const isHan = /\p{Script=Han}/u.test(text);
  const words = [...text.matchAll(isHan ? LATIN : NAME)].filter(({ index }) => isHan || !startsSentence(text, index));
  const names = words.map(([word]) => word).filter((word) => !NO_NAMES.has(word.toLowerCase()) && word.length > 1);
  if (coins.some((coin) => KNOWN_COIN.test(coin) && !known(coin) && !isInWords(coin, stated))) return "name";
  const quoted = [...text.matchAll(QUOTED)].map(([, inside = ""]) => inside);
  const all = [...names.filter((name) => !coins.includes(name.toUpperCase())), ...(isHan ? quoted : [])];
  return all.every((name) => stated(fold(name)) || isInWords(name, stated)) ? undefined : "name";
}

const KNOWN_COIN = /^[A-Z][A-Z\d]{1,9}$/;

/** "Log-in" and "USDT-TRC20" are named when each of their parts is; a plural, when its singular is. */
function isInWords(name: string, stated: (name: string) => boolean): boolean {
  const parts = fold(name)
    .split(/[-.&'’\s/]+/)
    .filter((part) => part !== "");
  return parts.every((part) => stated(part) || stated(part.replace(/(?:es|s|ing|ed)$/, "")) || NO_NAMES.has(part));
}

function startsSentence(text: string, at: number): boolean {
  return /(?:^|[.!?:：。！？;；\n]["'”’)）]?\s{0,3}|["“‘(（]\s{0,3}|[-–—]\s)$/.test(
    text.slice(Math.max(0, at - 4), at),
  );
}

/** The sources say most of the statement's words. */
function checkWords(
  { text, own, isLead }: Statement,
  figures: readonly Figure[],
  { wordings, sources, asked }: StatementContext,
): ReplyFault | undefined {
  const telling = wordings.telling(text);
  // Where the figures are right, few words say enough.
  if (telling.words.length < FEW_WORDS + (figures.length > 1 ? 1 : 0)) return undefined;
  const least = own.length > 0 || isLead ? LEAST.own : LEAST.inherited;
  const isSaid = wordings.share(telling, ...sources, asked.wording) >= least;
  return isSaid && wordings.share(telling, ...sources) >= LEAST.alone ? undefined : "unsupported";
}

/** Addresses of the web with or without a scheme, mail addresses, names of hosts; telephone numbers, wallets, hashes, users. */
const LITERALS = SOURCES.map((source) => new RegExp(source, "gi"));

/** What a text names that must stand in a source letter by letter, folded: links, mail addresses, numbers to call, wallets. */
function literalsOf(text: string): string[] {
  const rest = text.replace(/\[\.\]|\(dot\)|(?<=\w) dot (?=com|net|org|io)/gi, ".").replace(/hxxp/gi, "http");
  return LITERALS.flatMap((pattern) => rest.match(pattern) ?? [])
    .filter((found) => !DATE_OR_AMOUNT.test(found))
    .map((found) => found.toLowerCase().replace(/\/?[.,;:!?]{0,5}$/, ""));
}

const DATE_OR_AMOUNT =
  /^\d{4}-\d{1,2}-\d{1,2}(?:\s\d{1,2})?$|^\d{1,3}(?: \d{3})+$|^\d{4}\s?-\s?\d{4}$|^\d{1,4}\s?-\s?\d{1,5}$/;
