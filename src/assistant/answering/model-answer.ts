import { plainText } from "../../language/plain-text.ts";
import { NO_ANSWER } from "../model/model-prompt.ts";
import { isOpen, judgeReply } from "../grounding/judge-reply.ts";
import { numbersIn, statementsOf, type Statement } from "../grounding/statements.ts";
import type { CheckedRequest, Finding } from "../grounding/reply-fault.ts";
import type { Quotation } from "../answer.ts";
import { toSourceItem, type Passage } from "../passage.ts";
import { searchTerms } from "../retrieval/language-index.ts";
import { sentencesOf } from "../../language/sentences.ts";

/** The excerpt of a passage for a model: 3000 characters of plain text. */
export const toExcerpt = (passage: Passage): Passage => ({ ...passage, text: plainText(passage.text).slice(0, 3000) });

/** The result of checking a model's reply: its value, or the reasons not to deliver it. Plain data. */
export type Checked<T> = ({ readonly value: T } | { readonly findings: readonly Finding[] }) & {
  readonly unverified?: readonly Statement[]; // Its statements, if verdicts on them may change the result.
};

/** Checks a model's reply against its excerpts. The value is null if the reply says that they do not answer. A source's
 * snippet is its sentence nearest to the reply. */
export function checkReply(request: CheckedRequest): Checked<Quotation | null> {
  const verdict = judgeReply(request);
  if (verdict === "no_answer") return { value: null };
  const unverified = statementsOf(request.reply);
  if (verdict !== "good") return { findings: verdict, ...(isOpen(verdict) && { unverified }) };
  const answer = resolveCitations(request.reply, request.excerpts);
  if (answer === null) return { value: null };
  const replyTerms = new Set(searchTerms(answer.text));
  const sources = answer.cited.map((passage) => toSourceItem(passage, nearestSentence(passage, replyTerms)));
  return { value: { text: answer.text, sources }, unverified };
}

const MARKS = /(?<![ \t])([ \t]*)[[【]\s*(\d{1,3}(?:\s*[-–,，、;]\s*\d{1,3})*)\s*[\]】]/g;

/** Renumbers a model's citation marks: `[k]` becomes the k-th of `cited`, in order of first mention; invalid marks are
 * removed. Null if the model replies that the passages do not answer, or cites none. */
export function resolveCitations(raw: string, passages: readonly Passage[]) {
  if (raw.includes(NO_ANSWER)) return null;
  const cited = new Set<Passage>();
  const renumbered = raw.trim().replace(MARKS, (_, space: string, list: string) => {
    const named = new Set(numbersIn(list).flatMap((number) => passages[number - 1] ?? []));
    const marks = Array.from(named, (passage) => `[${[...cited.add(passage)].indexOf(passage) + 1}]`);
    return marks.length === 0 ? "" : space + marks.join("");
  });
  return cited.size === 0 ? null : { text: renumbered.trim(), cited: [...cited] };
}

function nearestSentence({ title, text }: Passage, replyTerms: ReadonlySet<string>): string {
  let best = { text: title, shared: -1 };
  for (const sentence of sentencesOf(text)) {
    const shared = new Set(searchTerms(sentence).filter((term) => replyTerms.has(term))).size;
    if (shared > best.shared) best = { text: sentence, shared };
  }
  return best.text;
}
