import { assetsInQuestion, namesOfAsset } from "../../language/assets.ts";
import { fold } from "../../language/tokenize.ts";
import { isSame, isStated } from "./same-figure.ts";
import BOUNDS from "./data/bounds.json" with { type: "json" };
import SOURCES from "./data/literals.json" with { type: "json" };
import { figuresOf, type Figure } from "./figures.ts";
import type { ReplyFault } from "./reply-fault.ts";
import type { SourceClause, SourceText, StatementContext } from "./source-text.ts";
import { clausesOf, type Statement } from "./statements.ts";
import { isNegated, NO_NAMES, overclaims, SAYS } from "./word-sets.ts";
import { saidBy, shareOf, tellingOf, wordingOf, type Telling } from "./wording.ts";

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
    .filter(({ value, unit = "count" }) => Number.isInteger(value) && COUNTED.has(unit))
    .slice(0, MOST.parts);
  const parts = [...context.figures, ...asked.figures, ...counts];
  const known: Figure[] = [];
  const unknown: Figure[] = [];
  for (const figure of figures) {
    // What was computed may be computed with.
    const isKnown = isStated(figure, folded, stated, asked.figures, [...parts, ...known.slice(-MOST.parts)]);
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

/** Units of numbers that say how many: "three times", "for 12 months". */
const COUNTED: ReadonlySet<string> = new Set(["count", "times", "time"]);

/** A small number without a unit, in words: "two ways", "one of them". */
const isHarmless = ({ value, unit = "count", inWords, kind }: Figure): boolean =>
  kind === "amount" && inWords && unit !== "time" && COUNTED.has(unit) && value <= 10;

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
  const isSaid = shareOf(telling, ...sources, asked.wording) >= LEAST.asked;
  return isSaid && shareOf(telling, ...sources) >= LEAST.alone ? undefined : "unsupported";
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
  const labels = labelsIn(`${context.asked.folded} ${folded}`);
  let before = "";
  for (const clause of clausesOf(folded)) {
    const telling = tellingOf(clause);
    const near = context.sources
      .flatMap((source) => source.clauses.map((one) => ({ ...one, share: shareOf(telling, one) })))
      .sort((a, b) => b.share - a.share);
    const given = { clause, before, telling, near, labels };
    const fault = checkMeaning(given, context) ?? checkPlaces(given);
    if (fault !== undefined) return fault;
    before = clause;
  }
  return undefined;
}

interface GivenClause {
  readonly clause: string;
  readonly before: string;
  readonly telling: Telling;
  readonly near: readonly NearClause[]; // The clauses of the sources, the nearest first.
  readonly labels: readonly string[]; // What distinguishes rows in the statement and the question.
}

function checkMeaning(given: GivenClause, { sources, asked }: StatementContext): ReplyFault | undefined {
  const { clause, telling, near, labels } = given;
  const isTelling = telling.words.length >= WORDS.few;
  if (isTelling && shareOf(telling, ...sources, asked.wording) < LEAST.clause) return "unsupported";
  const isNot = isNegated(clause);
  const texts = sources.map(({ folded }) => folded);
  if (overclaims(clause, texts)) return "unsupported";
  const [best] = near;
  if (!isTelling || best === undefined) return undefined;
  const said = wordingOf(clause);
  // What a short clause denies must not be claimed with its words.
  const isDenied = (one: NearClause): boolean =>
    isNegated(one.folded) &&
    labelsIn(one.folded).every((label) => labels.includes(label)) &&
    one.telling.words.length > 1 &&
    shareOf(one.telling, said) >= LEAST.denied;
  if (!isNot && near.some(isDenied)) return "contradiction";
  const alike = near.filter(({ share }) => share >= best.share - LEAST.alike);
  const isOther = alike.every((one) => isNegated(one.folded) !== isNot);
  return isOther && best.share >= LEAST.subject ? "contradiction" : undefined;
}

function checkPlaces(given: GivenClause): ReplyFault | undefined {
  const { clause, before, telling, near, labels } = given;
  const figures = figuresOf(clause).filter(({ kind, inWords }) => kind !== "time" && !inWords);
  if (figures.length === 0) return undefined;
  const isLabelled = (one: NearClause): boolean => labelsIn(one.folded).some((label) => labels.includes(label));
  if (near.some((one) => isLabelled(one) && figures.some((figure) => holds(one, figure)))) return undefined;
  const isShort = telling.words.length < WORDS.few; // A short clause goes on with the subject of the one before.
  const subject = isShort ? tellingOf(`${before} ${clause}`) : telling;
  const beside = isShort ? [...figures, ...figuresOf(before)] : figures;
  const rows = near.map((one) => ({ ...one, said: saidBy(one, subject) }));
  return figures.some((figure) => isMisplaced(figure, beside, rows)) ? "figure" : undefined;
}

/** What distinguishes the rows of a table and the parts of an enumeration: "VIP 3", "level 2", "TRC-20", 一区. */
const LABEL =
  /(?<![a-z\d])(?:vip|lv|level|tier|zone|kyc|trc|erc|bep|group|grade|class|type|band)[ -]?\d{1,2}(?![\d.,%a-z])|[一二三四五六七八九十\d]\s?[区级档类]|(?<![a-z])(?:maker|taker)(?![a-z])|挂单|吃单/g;

const labelsIn = (folded: string): string[] =>
  Array.from(folded.matchAll(LABEL), ([label]) => label.replace(/[ -]/g, ""));

type WithFigures = Pick<SourceClause, "figures">;
const holds = ({ figures }: WithFigures, figure: Figure): boolean => figures.some((one) => isSame(figure, one, false));

function hasLike({ figures }: WithFigures, figure: Figure): boolean {
  return figures.some(
    (one) => one.kind === figure.kind && !one.inWords && (one.unit === figure.unit || one.kind === "date"),
  );
}

/** Whether a figure belongs to something else: another part of the same sentence or table says all of the statement's
 * words that the parts with the figure say, and more, and has another figure. */
function isMisplaced(
  figure: Figure,
  figures: readonly Figure[],
  rows: readonly (SourceClause & { readonly said: ReadonlySet<string> })[],
): boolean {
  if (figure.kind === "amount" && figure.unit === undefined && Number.isInteger(figure.value)) return false;
  const holding = rows.filter((row) => holds(row, figure));
  return rows.some(({ said, group, ...row }) => {
    if (!hasLike(row, figure) || figures.some((one) => holds(row, one))) return false;
    const isFuller = holding.every((one) => one.said.size < said.size && [...one.said].every((word) => said.has(word)));
    return isFuller && holding.some((one) => one.group === group);
  });
}
