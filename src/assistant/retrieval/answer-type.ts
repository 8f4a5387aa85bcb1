import { fold } from "../../language/tokenize.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import PATTERNS from "./answer-type-patterns.json" with { type: "json" };

/** Kinds of question by their form, and what a sentence that answers one usually contains. The first match wins. */
const TYPES = PATTERNS.map((type) => patternsOf(type));

/** A test of whether a sentence contains what such a question asks for; undefined for a question of no such form. */
export function answerTypeOf(question: string): ((sentence: string) => boolean) | undefined {
  const folded = fold(question);
  const type = TYPES.find(({ asks }) => asks.test(folded));
  return type === undefined ? undefined : (sentence) => type.holds.test(fold(sentence));
}
