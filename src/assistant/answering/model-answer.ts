import { plainText } from "../../language/plain-text.ts";
import { judgeReply } from "../grounding/check-reply.ts";
import type { CheckedRequest, Finding } from "../grounding/reply-fault.ts";
import type { Wordings } from "../grounding/wording.ts";
import { resolveCitations } from "../model/citations.ts";
import type { Passage, SourceItem } from "../passage.ts";
import { toSourceItem } from "../passage.ts";
import { searchTerms } from "../retrieval/language-index.ts";
import { sentencesOf } from "../../language/sentences.ts";

/** A model's text, with the sources it cites. */
export interface GeneratedAnswer {
  readonly text: string;
  readonly sources: SourceItem[];
}

/** Most characters of a passage that a model is given. */
const EXCERPT = 3000;

/** The part of a passage that a model is given: plain text. */
export function toExcerpt(passage: Passage): Passage {
  return { ...passage, text: plainText(passage.text).slice(0, EXCERPT) };
}

/** What a check makes of a model's reply: its value, or why it may not be delivered. Plain data. */
export type Checked<T> = { readonly value: T } | { readonly findings: readonly Finding[] };

/**
 * Checks a model's reply against the excerpts that it was given: the value is null when it says that they do not answer. A
 * source's snippet is its sentence nearest to the reply.
 */
export function checkReply(request: CheckedRequest, wordings: Wordings): Checked<GeneratedAnswer | null> {
  const verdict = judgeReply(request, wordings);
  if (verdict !== "good" && verdict !== "no_answer") return { findings: verdict };
  const answer = verdict === "good" ? resolveCitations(request.reply, request.excerpts) : null;
  if (answer === null) return { value: null };
  const said = new Set(searchTerms(answer.text));
  const sources = answer.cited.map((passage) => toSourceItem(passage, nearestSentence(passage, said)));
  return { value: { text: answer.text, sources } };
}

/** The sentence of an excerpt that shares most terms with a text; its title when it has none. */
function nearestSentence({ title, text }: Passage, said: ReadonlySet<string>): string {
  let best = { text: title, shared: -1 };
  for (const sentence of sentencesOf(text)) {
    const shared = new Set(searchTerms(sentence.text).filter((term) => said.has(term))).size;
    if (shared > best.shared) best = { text: sentence.text, shared };
  }
  return best.text;
}
