import { hasHan } from "../../language/detect-language.ts";
import { fold } from "../../language/tokenize.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import { figuresOf } from "../grounding/figures.ts";
import PATTERNS from "./asked-fact-patterns.json" with { type: "json" };
import { names } from "./chosen-title.ts";
import { joinedWords } from "./question-parts.ts";

const KINDS = PATTERNS.kinds.map((kind) => patternsOf(kind));
const { prices: PRICES } = patternsOf({ prices: PATTERNS.prices });

/** Whether a text certainly lacks what a question asks for: a kind of fact that it does not state at all, such as a range,
 * a maximum or a plan; one of two things; or the price of something larger than all that it mentions. */
export function lacksFact(question: string, text: string): boolean {
  const [asked, told] = [fold(question), fold(text)];
  if (KINDS.some(({ asks, holds }) => asks.test(asked) && !holds.test(told))) return true;
  const isSaid = (word: string): boolean => told.includes(word) || names(told, word, 0.1) || !names(word, word);
  if (hasHan(asked) === hasHan(told) && !joinedWords(asked).every(isSaid)) return true;
  const sizes = PRICES.test(asked) ? figuresOf(asked).filter(({ unit = "" }) => PATTERNS.sizes.includes(unit)) : [];
  const stated = sizes.length > 0 ? figuresOf(told) : [];
  return sizes.some(({ unit, value }) => {
    const alike = stated.filter((other) => other.unit === unit);
    return alike.length > 0 && alike.every((other) => other.value < value);
  });
}
