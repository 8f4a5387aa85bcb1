import { fold } from "../../language/tokenize.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import PATTERNS from "./answer-type-patterns.json" with { type: "json" };
import TUNING from "./tuning.json" with { type: "json" };
import { matchOf, type RankedArticle } from "./rank-articles.ts";
import { encode } from "../encoder/encoder.ts";
import { searchTerms } from "./language-index.ts";
import { product } from "../../runtime/product.ts";

const MIX = TUNING.windows;
export type UnitMatch = ReturnType<typeof matchUnits>;

/** How well each unit says each group of the article, 0 to 1; each group's share of the question's weight, less for
 * what the title says; how well each unit answers alone, and the best one; whether the kind of answer asked for is there;
 * how much of the question each says, and how much it is about the same. */
export function matchUnits({ groups, found }: RankedArticle, question: string) {
  const { titleTerms, bodyTerms, units } = found.details();
  const occurs = (term: string): boolean => bodyTerms.has(term) || titleTerms.has(term);
  const inTitle = (term: string): boolean => titleTerms.has(term);
  let total = 0;
  const present = groups.flatMap(({ alternatives, gain }) => {
    const occurring = alternatives.filter(({ terms }) => terms.every(occurs));
    const left = gain * (1 - (1 - MIX.saidByTitle) * matchOf(occurring, inTitle));
    total += left;
    return occurring.length === 0 ? [] : [{ alternatives: occurring, left }];
  });
  const shares = present.map(({ left }) => left / (total || 1));
  const matches = units.map(({ terms }) =>
    present.map(({ alternatives }) => matchOf(alternatives, (t) => terms.has(t))),
  );
  const covers = matches.map((match) => match.reduce((sum, value, at) => sum + value * shares[at]!, 0));
  const asked = encode([searchTerms(question), 1]);
  const fits = answerTypeOf(question);
  const fitting = fits && units.map(({ text }) => fits(text));
  const alikes = units.map(({ meaning }) => product(asked, meaning));
  const peaks = units.map(({ kind }, at) => {
    const typed = fitting?.[at] === true ? MIX.fits * Math.min(1, 0.5 + 2 * covers[at]!) : 0;
    const alike = MIX.alike * alikes[at]!;
    return covers[at]! + alike + typed + MIX.neighbour * (covers[at - 1] ?? 0) + (kind === "heading" ? MIX.heading : 0);
  });
  const highest = peaks.reduce((most, peak) => Math.max(most, peak), -Infinity);
  return { matches, shares, peaks, highest, fitting, covers, alikes };
}

/** Kinds of question by their form, and what a sentence that answers one usually contains. The first match wins. */
const TYPES = PATTERNS.map((type) => patternsOf(type));

/** A test of whether a sentence contains what such a question asks for; undefined for a question of no such form. */
export function answerTypeOf(question: string): ((sentence: string) => boolean) | undefined {
  const folded = fold(question);
  const type = TYPES.find(({ asks }) => asks.test(folded));
  return type === undefined ? undefined : (sentence) => type.holds.test(fold(sentence));
}
