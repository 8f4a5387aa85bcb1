import { fold } from "../../language/tokenize.ts";
import { isSame } from "./check-figures.ts";
import { figuresOf, type Figure } from "./figures.ts";
import type { ReplyFault } from "./reply-fault.ts";
import type { SourceClause, StatementContext } from "./source-text.ts";
import { clausesOf } from "./statements.ts";
import { isNegated, isOpposite, overclaims } from "./word-sets.ts";
import type { Telling } from "./wording.ts";

/** Statements and clauses with fewer telling words are not judged by them. */
export const FEW_WORDS = 3;
/** Least share of a clause's words that its sources or the question say. */
const LEAST = 0.4;
/** From this share on, two clauses are about the same, and must not be opposites; alike are those so near to the nearest. */
const SAME_SUBJECT = 0.6;
const ALIKE = 0.1;
/** Least share of a denied clause's words that a statement must have to claim it. */
const DENIED = 0.9;

/** A clause of the sources, and the share of a statement's words that it says. */
interface NearClause extends SourceClause {
  readonly share: number;
}

/** Checks a statement clause by clause: none is made up, claims too much, says the opposite or puts a figure elsewhere. */
export function checkClauses(text: string, context: StatementContext): ReplyFault | undefined {
  const folded = fold(text);
  const labels = labelsIn(`${context.asked.folded} ${folded}`);
  let before = "";
  for (const clause of clausesOf(folded)) {
    const telling = context.wordings.telling(clause);
    const near = context.sources
      .flatMap((source) => source.clauses.map((one) => ({ ...one, share: context.wordings.share(telling, one) })))
      .sort((a, b) => b.share - a.share);
    const given = { clause, before, telling, near, labels };
    const fault = checkMeaning(given, context) ?? checkPlaces(given, context);
    if (fault !== undefined) return fault;
    before = clause;
  }
  return undefined;
}

interface GivenClause {
  readonly clause: string;
  readonly before: string;
  readonly telling: Telling;
  /** The clauses of the sources, the nearest first. */
  readonly near: readonly NearClause[];
  /** What the statement and the question tell rows apart by. */
  readonly labels: readonly string[];
}

/** "No deposits, transfers or payments" denies all three. */
const LISTED_NOT = /(?<![a-z])(?:no|without|neither)(?![a-z])[^,]{0,40}$/;
const HAS_VERB = /(?<![a-z])(?:you|we|they|it|is|are|can|will|may|must|has|have|does|do)(?![a-z])/;

function checkMeaning(given: GivenClause, { wordings, sources, asked }: StatementContext): ReplyFault | undefined {
  const { clause, before, telling, near, labels } = given;
  const isTelling = telling.words.length >= FEW_WORDS;
  if (isTelling && wordings.share(telling, ...sources, asked.wording) < LEAST) return "unsupported";
  const isNot = isNegated(clause) || (LISTED_NOT.test(before) && !HAS_VERB.test(clause));
  const texts = sources.map(({ folded }) => folded);
  if (!isNot && overclaims(clause, texts)) return "unsupported";
  const [best] = near;
  if (!isTelling || best === undefined) return undefined;
  const said = wordings.of(clause);
  // What a short clause denies must not be claimed with its words.
  const isDenied = (one: NearClause): boolean =>
    isNegated(one.folded) &&
    labelsIn(one.folded).every((label) => labels.includes(label)) &&
    one.telling.words.length > 1 &&
    wordings.share(one.telling, said) >= DENIED;
  if (!isNot && near.some(isDenied)) return "contradiction";
  const alike = near.filter(({ share }) => share >= best.share - ALIKE);
  const isOther = alike.every((one) => isNegated(one.folded) !== isNot || isOpposite(clause, one.folded));
  return isOther && best.share >= SAME_SUBJECT ? "contradiction" : undefined;
}

function checkPlaces(given: GivenClause, { wordings, tickers }: StatementContext): ReplyFault | undefined {
  const { clause, before, telling, near, labels } = given;
  const figures = figuresOf(clause, tickers).filter(({ kind, inWords }) => kind !== "time" && !inWords);
  const isLabelled = (one: NearClause): boolean => labelsIn(one.folded).some((label) => labels.includes(label));
  if (near.some((one) => isLabelled(one) && figures.some((figure) => holds(one, figure)))) return undefined;
  // A short clause goes on with the subject of the one before.
  const isShort = telling.words.length < FEW_WORDS;
  const subject = isShort ? wordings.telling(`${before} ${clause}`) : telling;
  const beside = isShort ? [...figures, ...figuresOf(before, tickers)] : figures;
  const rows = near.map((one) => ({ ...one, said: wordings.said(subject, one) }));
  return figures.some((figure) => isMisplaced(figure, beside, rows)) ? "figure" : undefined;
}

/** What tells the rows of a table and the parts of an enumeration apart: "VIP 3", "level 2", "TRC-20", 一区. */
const LABEL =
  /(?<![a-z\d])(?:vip|lv|level|tier|zone|kyc|trc|erc|bep|group|grade|class|type|band)[ -]?\d{1,2}(?![\d.,%a-z])|[一二三四五六七八九十\d]\s?[区级档类]|(?<![a-z])(?:maker|taker)(?![a-z])|挂单|吃单/g;

function labelsIn(folded: string): string[] {
  return Array.from(folded.matchAll(LABEL), ([label]) => label.replace(/[ -]/g, ""));
}

type WithFigures = Pick<SourceClause, "figures">;

function holds({ figures }: WithFigures, figure: Figure): boolean {
  return figures.some((one) => isSame(figure, one, false));
}

/** Whether a clause has another figure of the kind. */
function hasLike({ figures }: WithFigures, figure: Figure): boolean {
  const isSpan = ({ unit }: Figure): boolean => unit === "time" || unit === "workday";
  return figures.some(
    (one) =>
      one.kind === figure.kind &&
      !one.inWords &&
      (one.unit === figure.unit || one.kind === "date" || (isSpan(one) && isSpan(figure))),
  );
}

/**
 * Whether a figure belongs to something else: another part of the same sentence or table says all of the statement's words
 * that the parts with the figure say, and more, and has another figure.
 */
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
