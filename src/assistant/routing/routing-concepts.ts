import { assetsInQuestion } from "../../language/assets.ts";
import { QUESTION_LEXICON, conceptsOf } from "../../language/lexicon.ts";
import { tokenize } from "../../language/tokenize.ts";
import type { Token } from "../../language/tokenize.ts";

/** Concepts that occur in questions on any subject. */
const COMMON: ReadonlySet<string> = new Set(
  `self assistant how when amount recent trouble reset arrival reward code rules balance basics support advice news
  signing app`.split(/\s+/),
);

/** Whether a text names a concept of the domain: trading, the platform, its news. */
export function isInDomain(text: string): boolean {
  return [...conceptsIn(text)].some((concept) => !COMMON.has(concept));
}

/** The concepts that a text names, and `asset` when it names one. */
export function conceptsIn(text: string, tokens: readonly Token[] = tokenize(text)): Set<string> {
  const found = conceptsOf(tokens, QUESTION_LEXICON, true);
  if (assetsInQuestion(text, tokens).size > 0) found.add("asset");
  return found;
}
