import { fold } from "../../language/tokenize.ts";
import { NO_ANSWER } from "../model/model-prompt.ts";
import { checkStatement } from "./check-statement.ts";
import { checkWhole, isFiller, isTooLong, saysNoAnswer, saysWhatIsMissing } from "./check-whole.ts";
import { figuresOf, tickersIn } from "./figures.ts";
import type { CheckedRequest, Finding } from "./reply-fault.ts";
import { readSource } from "./source-text.ts";
import { statementsOf } from "./statements.ts";
import type { Wordings } from "./wording.ts";

/** Whether a reply may be delivered: `no_answer` when it says that the passages do not answer. */
export type Verdict = "good" | "no_answer" | readonly Finding[];

/**
 * Checks a reply: its language, form and length, and each of its sentences against the passages that it cites. Linear in
 * the length of the reply.
 */
export function judgeReply(request: CheckedRequest, wordings: Wordings): Verdict {
  const { reply, excerpts, question, previous = "" } = request;
  if (reply.includes(NO_ANSWER)) return "no_answer";
  if (isTooLong(reply, request)) return [{ fault: "length" }];
  const statements = statementsOf(reply);
  if (statements.every(({ own }) => own.length === 0) && saysNoAnswer(reply)) return "no_answer";
  const texts = [question, previous, reply, ...excerpts.flatMap(({ title, text }) => [title, text])];
  const tickers = new Set(texts.flatMap(tickersIn));
  const sources = excerpts.map((passage) => readSource(passage, wordings, tickers));
  const folded = fold(`${question}\n${previous}`);
  const asked = { folded, figures: figuresOf(folded, tickers), wording: wordings.of(folded) };
  const figures = [...new Set(statements.flatMap(({ own }) => own))].flatMap(
    (number) => sources[number - 1]?.figures ?? [],
  );
  const found: Finding[] = checkWhole(reply, statements, { ...request, sources }).map((fault) => ({ fault }));
  for (const statement of statements) {
    const cited = statement.cited.flatMap((number) => sources[number - 1] ?? []);
    if (statement.own.length === 0 && (isFiller(statement.text) || saysWhatIsMissing(statement.text))) continue;
    const fault = checkStatement(statement, { wordings, sources: cited, all: sources, figures, tickers, asked });
    if (fault !== undefined) found.push({ fault, sentence: statement.text });
  }
  if (found.length === 0 && statements.every(({ cited }) => cited.length === 0)) return [{ fault: "uncited" }];
  return found.length === 0 ? "good" : found;
}
