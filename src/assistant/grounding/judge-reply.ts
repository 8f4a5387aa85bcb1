import { STOP_WORDS } from "../../language/stop-words.ts";
import { fold, stem } from "../../language/tokenize.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import { NO_ANSWER } from "../model/model-prompt.ts";
import BOUNDS from "./data/bounds.json" with { type: "json" };
import VERDICTS from "./data/verdicts.json" with { type: "json" };
import { evaluate, operandsOf } from "./calculation.ts";
import { checkStatement } from "./check-statement.ts";
import { figuresOf, type Figure } from "./figures.ts";
import type { CheckedRequest, Finding, ReplyFault, StatementVerdict } from "./reply-fault.ts";
import PATTERNS from "./reply-patterns.json" with { type: "json" };
import { readSource, type SourceText } from "./source-text.ts";
import { statementsOf, type Statement } from "./statements.ts";
import { wordingOf } from "./wording.ts";

/** Whether a reply may be delivered; `no_answer` when it says that the passages do not answer. */
export type Verdict = "good" | "no_answer" | readonly Finding[];

/** Checks a reply as a whole, and each statement against the passages that it cites. Linear in the reply's length.
 * A verifier's verdicts, if given, decide the statements about which the rules are not sure. */
export function judgeReply(request: CheckedRequest): Verdict {
  const { reply, excerpts, question, previous = "", lang, wide, verdicts } = request;
  if (reply.includes(NO_ANSWER)) return "no_answer";
  if (reply.length > MOST[lang][wide ? "wide" : "narrow"]) return [{ fault: "length" }];
  const statements = statementsOf(reply);
  const isRefusal = reply.length <= 400 && SAYS.noAnswer.test(fold(reply.trim()));
  if (isRefusal && statements.every(({ own }) => own.length === 0)) return "no_answer";
  const sources = excerpts.map(readSource);
  const folded = fold(`${question}\n${previous}`);
  const asked = { folded, figures: figuresOf(folded), wording: wordingOf(folded) };
  const cites = new Set(statements.flatMap(({ own }) => own));
  const figures = sources.flatMap((source, at) => (cites.has(at + 1) ? source.figures : []));
  const said: Figure[] = [];
  const isQuoted = (part: string): boolean => sources.some((source) => source.folded.includes(fold(part)));
  const found: Finding[] = checkWhole(statements, { ...request, sources, isQuoted }).map((fault) => ({ fault }));
  const operands = operandsOf([...figures, ...asked.figures]);
  for (const [at, statement] of statements.entries()) {
    const verdict = verdicts?.[at];
    const results = (verdict?.calculations ?? []).map((expression) => evaluate(expression, operands));
    const cited = statement.cited.flatMap((number) => sources[number - 1] ?? []);
    const isFree = statement.own.length === 0 && (isFiller(statement.text) || saysWhatIsMissing(statement.text));
    const context = { sources: cited, all: sources, figures, said, asked, results };
    const byRules = isFree ? undefined : checkStatement(statement, context);
    const fault = verdict === undefined ? byRules : decideByVerdict(byRules, verdict);
    if (fault !== undefined) found.push({ fault, sentence: statement.text });
    if (!isFree) said.push(...figuresOf(fold(statement.text)));
  }
  if (found.length === 0 && statements.every(({ cited }) => cited.length === 0)) return [{ fault: "uncited" }];
  return found.length === 0 ? "good" : found;
}

/** The fault of a verified statement. A verdict cannot overrule a fault of which the rules are sure. */
function decideByVerdict(fault: ReplyFault | undefined, { verdict }: StatementVerdict): ReplyFault | undefined {
  const { overrules, finds } = VERDICTS.verdicts[verdict] as { overrules: readonly string[]; finds?: ReplyFault };
  return fault !== undefined && !overrules.includes(fault) ? fault : finds;
}

/** Whether verdicts may overrule all of these faults. */
export const isOpen = (found: readonly Finding[]): boolean => found.every(({ fault }) => VERDICTS.open.includes(fault));

const SAYS = patternsOf(PATTERNS);
const { characters: MOST, echo: ECHO, english: ENGLISH } = BOUNDS;

interface ReplyContext extends CheckedRequest {
  readonly sources: readonly SourceText[];
  readonly isQuoted: (part: string) => boolean; // Whether a passage contains it verbatim.
}

const isFiller = (sentence: string): boolean =>
  sentence.length <= 160 && !/\d/.test(fold(sentence)) && SAYS.filler.test(fold(sentence));
const saysWhatIsMissing = (sentence: string): boolean => sentence.length <= 240 && SAYS.beyond.test(fold(sentence));

function checkWhole(statements: readonly Statement[], context: ReplyContext): ReplyFault[] {
  const { reply, isQuoted, instructions } = context;
  const folded = fold(reply);
  const markup = SAYS.markup.exec(reply.toLowerCase())?.[0];
  const internal = SAYS.internal.exec(folded)?.[0];
  const isInternal = internal !== undefined && !isQuoted(internal);
  const said = statements.map(({ text }) => fold(text));
  const has: Partial<Record<ReplyFault, boolean>> = {
    markup: markup !== undefined && !(isQuoted(markup) && !/script|javascript|on\w+=/i.test(markup)),
    self: SAYS.self.test(folded),
    internal: isInternal || echoes(folded, instructions) || isDictated(statements, context),
    language: !isInLanguage(statements, context),
    length: isRepetitive(statements),
    advice: statements.some((statement) => isAdvice(statement, context)),
    secret: said.some((text) => SAYS.secret.test(text) && !SAYS.warning.test(text)),
    acting: said.some((text) => SAYS.acting.test(text) && !saysWhatIsMissing(text)),
  };
  return (Object.keys(has) as ReplyFault[]).filter((fault) => has[fault]);
}

/** Whether a statement gives trading advice or predicts a price. A quotation from help or a notice is not advice. */
function isAdvice({ text, cited }: Statement, { sources }: ReplyContext): boolean {
  const folded = fold(text);
  const found = SAYS.advice.exec(folded)?.[0];
  if (found === undefined || SAYS.notAdvice.test(folded)) return false;
  const own = cited.flatMap((number) => sources[number - 1] ?? []);
  return !own.some((source) => !source.isNews && source.folded.includes(found));
}

/** Whether a reply repeats verbatim a text that the question dictates and no source contains. */
function isDictated(statements: readonly Statement[], { question, isQuoted }: ReplyContext): boolean {
  const asked = fold(question);
  if (!SAYS.dictating.test(asked)) return false;
  const bare = (text: string): string => text.replace(/[.。!！]{1,5}$/, "");
  const quoted = asked.matchAll(/[“"「『'‘]([^”"」』'’]{1,200})[”"」』'’]/g);
  const said = statements.map(({ text }) => bare(fold(text)));
  return Array.from(quoted, ([, text = ""]) => bare(text)).some(
    (text) => !isQuoted(text) && said.some((one) => one === text || (text.length > 3 && one.includes(text))),
  );
}

function echoes(folded: string, instructions: string): boolean {
  const plain = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, " ");
  const [said, words] = [plain(folded), plain(fold(instructions)).split(" ")];
  const runs = words.map((_, at) => words.slice(at, at + ECHO.words)).filter((_, at) => at % 2 === 0);
  return runs.some((run) => run.length === ECHO.words && said.includes(run.join(" ")));
}

const HAN = /\p{Script=Han}/gu;
const WORDS = /(?<![\p{L}\d])[a-z][a-z'’]+(?![\p{L}\d])/gu;
function isInLanguage(statements: readonly Statement[], { reply, lang, isQuoted }: ReplyContext): boolean {
  const other = SAYS.otherScript.exec(reply)?.[0];
  if (other !== undefined && !isQuoted(other)) return false;
  const [han, words] = [reply.match(HAN)?.length ?? 0, fold(reply).match(WORDS) ?? []];
  if (lang === "zh") {
    if (han < 2 && words.length >= 2 && words.some((word) => STOP_WORDS.has(word) || !isQuoted(word))) return false;
    const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;
    const isChinese = (text: string) => count(text, HAN) >= 2 || count(text, WORDS) < ENGLISH.foreignWords;
    return statements.every(({ text }) => isChinese(text) || isQuoted(text));
  }
  const runs = reply.match(/\p{Script=Han}[\p{Script=Han}，、。]*/gu) ?? [];
  if (han > words.length || runs.some((run) => run.length > ENGLISH.foreignHan && !isQuoted(run))) return false;
  const functional = words.filter((word) => STOP_WORDS.has(stem(word.replace(/['’].*/, "")))).length;
  const isKnown = words.filter((word) => isQuoted(word)).length >= words.length * ENGLISH.known;
  return words.length < ENGLISH.words || isKnown || functional >= words.length * ENGLISH.functional;
}

const isRepetitive = (statements: readonly Statement[]): boolean =>
  [...groupBy(statements, ({ text }) => text)].some(([text, alike]) => text.length >= 12 && alike.length > ECHO.times);
