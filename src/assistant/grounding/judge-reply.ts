import { STOP_WORDS } from "../../language/stop-words.ts";
import { fold, stem } from "../../language/tokenize.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import { NO_ANSWER } from "../model/model-prompt.ts";
import BOUNDS from "./data/bounds.json" with { type: "json" };
import { checkStatement } from "./check-statement.ts";
import { figuresOf, type Figure } from "./figures.ts";
import type { CheckedRequest, Finding, ReplyFault } from "./reply-fault.ts";
import PATTERNS from "./reply-patterns.json" with { type: "json" };
import { readSource, type SourceText } from "./source-text.ts";
import { statementsOf, type Statement } from "./statements.ts";
import { wordingOf } from "./wording.ts";

/** Whether a reply may be delivered: `no_answer` when it says that the passages do not answer. */
export type Verdict = "good" | "no_answer" | readonly Finding[];

/** Checks a reply as a whole, and each sentence against the passages that it cites. Linear in the reply's length. */
export function judgeReply(request: CheckedRequest): Verdict {
  const { reply, excerpts, question, previous = "", lang, wide } = request;
  if (reply.includes(NO_ANSWER)) return "no_answer";
  if (reply.length > MOST[lang][wide ? "wide" : "narrow"]) return [{ fault: "length" }];
  const statements = statementsOf(reply);
  const isRefusal = reply.length <= 400 && SAYS.noAnswer.test(fold(reply.trim()));
  if (isRefusal && statements.every(({ own }) => own.length === 0)) return "no_answer";
  const sources = excerpts.map(readSource);
  const folded = fold(`${question}\n${previous}`);
  const asked = { folded, figures: figuresOf(folded), wording: wordingOf(folded) };
  const figures = [...new Set(statements.flatMap(({ own }) => own))].flatMap(
    (number) => sources[number - 1]?.figures ?? [],
  );
  const said: Figure[] = [];
  const isQuoted = (part: string): boolean => sources.some((source) => source.folded.includes(fold(part)));
  const found: Finding[] = checkWhole(statements, { ...request, sources, isQuoted }).map((fault) => ({ fault }));
  for (const statement of statements) {
    const cited = statement.cited.flatMap((number) => sources[number - 1] ?? []);
    if (statement.own.length === 0 && (isFiller(statement.text) || saysWhatIsMissing(statement.text))) continue;
    const fault = checkStatement(statement, { sources: cited, all: sources, figures, said, asked });
    if (fault !== undefined) found.push({ fault, sentence: statement.text });
    said.push(...figuresOf(fold(statement.text)));
  }
  if (found.length === 0 && statements.every(({ cited }) => cited.length === 0)) return [{ fault: "uncited" }];
  return found.length === 0 ? "good" : found;
}

const SAYS = patternsOf(PATTERNS);
const { characters: MOST, echo: ECHO, english: ENGLISH } = BOUNDS;

interface ReplyContext extends CheckedRequest {
  readonly sources: readonly SourceText[];
  readonly isQuoted: (part: string) => boolean; // Whether a passage says it word for word.
}

function isFiller(sentence: string): boolean {
  const folded = fold(sentence);
  return sentence.length <= 160 && !/\d/.test(folded) && SAYS.filler.test(folded);
}

const saysWhatIsMissing = (sentence: string): boolean => sentence.length <= 240 && SAYS.beyond.test(fold(sentence));

const TAG =
  /<[/!?]?[a-z][^<>]{0,300}>|<[/!?]?(?:script|iframe|img|svg|style|object|embed|a|b|p|div)\b|&(?:lt|#0*60|#x0*3c);|javascript:|!\[[^\]]{0,200}\]\(|\bon(?:error|click|load)\s*=|```/i;

function checkWhole(statements: readonly Statement[], context: ReplyContext): ReplyFault[] {
  const { reply, isQuoted } = context;
  const folded = fold(reply);
  const faults: ReplyFault[] = [];
  const markup = TAG.exec(reply)?.[0];
  if (markup !== undefined && !(isQuoted(markup) && !/script|javascript|on\w+=/i.test(markup))) faults.push("markup");
  if (SAYS.self.test(folded)) faults.push("self");
  const internal = SAYS.internal.exec(folded)?.[0];
  if (
    (internal !== undefined && !isQuoted(internal)) ||
    echoes(folded, context.instructions) ||
    isDictated(statements, context)
  )
    faults.push("internal");
  if (!isInLanguage(statements, context)) faults.push("language");
  if (isRepetitive(statements)) faults.push("length");
  if (statements.some((statement) => isAdvice(statement, context))) faults.push("advice");
  const said = statements.map((statement) => ({ statement, folded: fold(statement.text) }));
  if (said.some(({ folded }) => SAYS.secret.test(folded) && !isWarning(folded))) faults.push("secret");
  if (said.some(({ folded }) => SAYS.acting.test(folded) && !saysWhatIsMissing(folded))) faults.push("acting");
  return faults;
}

/** "Never give your password to anybody" asks for nothing. */
const isWarning = (folded: string): boolean =>
  /(?<![a-z])(?:never|not|nobody|no one|don't|won't|avoid)(?![a-z])|不|勿|切勿|别|谨防/.test(folded);

/** Whether a statement advises to trade or foretells a price. What help says is a rule. */
function isAdvice({ text, cited }: Statement, { sources }: ReplyContext): boolean {
  const folded = fold(text);
  const found = SAYS.advice.exec(folded)?.[0];
  if (found === undefined || SAYS.notAdvice.test(folded)) return false;
  const own = cited.flatMap((number) => sources[number - 1] ?? []);
  return !own.some((source) => !source.isNews && source.folded.includes(found));
}

/** Whether a reply says what the question told it to say, word for word, and no source does. */
function isDictated(statements: readonly Statement[], { question, isQuoted }: ReplyContext): boolean {
  const asked = fold(question);
  if (!SAYS.dictating.test(asked)) return false;
  const dictated = Array.from(asked.matchAll(/[“"「『'‘]([^”"」』'’]{1,200})[”"」』'’]/g), ([, text = ""]) =>
    text.replace(/[.。!！]{1,5}$/, ""),
  );
  const said = statements.map(({ text }) => fold(text).replace(/[.。!！]{1,5}$/, ""));
  return dictated.some(
    (text) => !isQuoted(text) && said.some((one) => one === text || (text.length > 3 && one.includes(text))),
  );
}

function echoes(folded: string, instructions: string): boolean {
  const said = folded.replace(/[^\p{L}\p{N}]+/gu, " ");
  const words = fold(instructions)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .split(" ");
  return words.some(
    (_, at) =>
      at % 2 === 0 && at + ECHO.words <= words.length && said.includes(words.slice(at, at + ECHO.words).join(" ")),
  );
}

const HAN = /\p{Script=Han}/gu;
const WORDS = /(?<![\p{L}\d])[a-z][a-z'’]+(?![\p{L}\d])/gu;
const OTHER_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Greek}]{2}/u;
function isInLanguage(statements: readonly Statement[], { reply, lang, isQuoted }: ReplyContext): boolean {
  const other = OTHER_SCRIPT.exec(reply)?.[0];
  if (other !== undefined && !isQuoted(other)) return false;
  const [han, words] = [reply.match(HAN)?.length ?? 0, fold(reply).match(WORDS) ?? []];
  if (lang === "zh") {
    if (han < 2 && words.length >= 2 && words.some((word) => STOP_WORDS.has(word) || !isQuoted(word))) return false;
    return statements.every(
      ({ text }) =>
        (text.match(HAN)?.length ?? 0) >= 2 ||
        (text.match(WORDS)?.length ?? 0) < ENGLISH.foreignWords ||
        isQuoted(text),
    );
  }
  const runs = reply.match(/\p{Script=Han}[\p{Script=Han}，、。]*/gu) ?? [];
  if (han > words.length || runs.some((run) => run.length > ENGLISH.foreignHan && !isQuoted(run))) return false;
  const functional = words.filter((word) => STOP_WORDS.has(stem(word.replace(/['’].*/, "")))).length;
  const isKnown = words.filter((word) => isQuoted(word)).length >= words.length * ENGLISH.known;
  return words.length < ENGLISH.words || isKnown || functional >= words.length * ENGLISH.functional;
}

function isRepetitive(statements: readonly Statement[]): boolean {
  const counts = new Map<string, number>();
  for (const { text } of statements) if (text.length >= 12) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Math.max(0, ...counts.values()) > ECHO.times;
}
