import { fold } from "../../language/tokenize.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import type { Turn } from "../answer.ts";
import PATTERNS from "./ordinal-patterns.json" with { type: "json" };
import { OFFER } from "./replies.ts";

const ORDINALS = PATTERNS.map((ordinal) => patternsOf(ordinal).says);
const CHOICE = /^\d\. (.+)$/;

/** The title that a question chooses from those that the answer before offered, by its number, its place or its words;
 * undefined when nothing was offered or another question is asked.
 * @example
 * chosenTitle("the second one", history); // "Withdrawal fees"
 */
export function chosenTitle(question: string, history: readonly Turn[]): string | undefined {
  const [lead, ...lines] = history.at(-1)?.answer.split("\n") ?? [];
  if (lead !== OFFER.zh && lead !== OFFER.en) return undefined;
  const titles = lines.flatMap((line) => CHOICE.exec(line)?.[1] ?? []);
  const folded = fold(question).trim();
  const ordinal = ORDINALS.findIndex((pattern) => pattern.test(folded));
  if (ordinal !== -1) return titles[ordinal];
  return titles.find((title) => folded.length >= 2 && fold(title).includes(folded));
}
