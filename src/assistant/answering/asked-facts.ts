import { hasHan } from "../../language/detect-language.ts";
import { fold } from "../../language/tokenize.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import { figuresOf } from "../grounding/figures.ts";
import PATTERNS from "./asked-fact-patterns.json" with { type: "json" };
import { contentTerms, names } from "./chosen-title.ts";
import { joinedWords } from "./question-parts.ts";

const KINDS = PATTERNS.kinds.map((kind) => patternsOf(kind));
const { prices: PRICES } = patternsOf({ prices: PATTERNS.prices });
const LEAST_SAID = 0.1; // Minimum share of the terms of a joined word, which may be more than one word in Chinese.

/** Whether a text certainly lacks what a question asks for: a kind of fact that it does not state at all, such as a range,
 * a maximum or a plan; one of two things; or the price of something larger than all that it mentions.
 * @example
 * lacksFact("What is the range of Bluetooth?", "The device has Bluetooth."); // true */
export function lacksFact(question: string, text: string): boolean {
  const [asked, told] = [fold(question), fold(text)];
  if (KINDS.some(({ asks, holds }) => asks.test(asked) && !holds.test(told))) return true;
  const joined = hasHan(asked) === hasHan(told) ? joinedWords(asked) : [];
  if (joined.some((word) => contentTerms(word).length > 0 && !told.includes(word) && !names(told, word, LEAST_SAID)))
    return true;
  const sizes = figuresOf(told).filter(({ unit = "" }) => PATTERNS.sizes.includes(unit));
  const isBeyond = figuresOf(asked).some(({ unit, value }) => {
    const alike = sizes.filter((size) => size.unit === unit);
    return alike.length > 0 && alike.every((size) => size.value < value);
  });
  return isBeyond && PRICES.test(asked);
}
