import type { Language } from "../../contract/schemas/shared-fields.ts";
import { fold } from "../../language/tokenize.ts";
import { patternsOf } from "../../runtime/text/patterns.ts";
import PATTERNS from "./answer-type-patterns.json" with { type: "json" };
import TUNING from "./tuning.json" with { type: "json" };
import type { TextUnit } from "./text-units.ts";
import { matchOf, type RankedArticle } from "./rank-articles.ts";
import { encode } from "../encoder/encoder.ts";
import { searchTerms } from "./language-index.ts";
import { product } from "../../runtime/product.ts";

/** The part of an article that answers best. */
export interface AnswerWindow {
  readonly text: string;
  readonly score: number;
  /** Whether it contains the kind of answer that is asked for; undefined when the question has no such form. */
  readonly fits: boolean | undefined;
}

const MIX = TUNING.windows;

/** Chooses the contiguous units that answer best, and extends them to a list's end. */
export function chooseWindow(article: RankedArticle, question: string, length = 1): AnswerWindow | undefined {
  const { found, titleCoverage } = article;
  const { units } = found.details();
  if (units.length === 0) return undefined;
  const match = matchUnits(article, units, question);
  const most = MIX.length[found.lang] * length;
  let best = { from: 0, to: 0, score: -Infinity, fits: false };
  for (let from = 0; from < units.length; from++) {
    const said = match.shares.map(() => 0);
    const window = { characters: 0, coverage: 0, peak: -Infinity, fits: false };
    for (let to = from; to < units.length; to++) {
      window.characters += units[to]!.text.length;
      if (to > from && window.characters > most) break;
      for (const [at, value] of match.matches[to]!.entries()) {
        if (value <= said[at]!) continue;
        window.coverage += (value - said[at]!) * match.shares[at]!;
        said[at] = value;
      }
      window.peak = Math.max(window.peak, match.peaks[to]!);
      window.fits ||= match.fitting?.[to] === true;
      const score = window.coverage + MIX.peak * window.peak + (MIX.lead * titleCoverage) / (1 + from);
      const isLonger = from === best.from && score > best.score - 1e-9; // Of two that are as good, the longer one.
      if (score > best.score + 1e-9 || isLonger) best = { from, to, score, fits: window.fits };
    }
  }
  const [from, to] = extend(units, best.from, best.to);
  return { text: textOf(units.slice(from, to + 1), found.lang), score: best.score, fits: match.fitting && best.fits };
}

/** How well each unit says each group of the article, 0 to 1; each group's share of the question's weight, less for
 * what the title says; how well each unit answers alone; whether the kind of answer asked for is there. */
function matchUnits({ groups, found }: RankedArticle, units: readonly TextUnit[], question: string) {
  const { titleTerms, bodyTerms } = found.details();
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
  const peaks = units.map(({ kind, meaning }, at) => {
    const typed = fitting?.[at] === true ? MIX.fits * Math.min(1, 0.5 + 2 * covers[at]!) : 0;
    const alike = MIX.alike * product(asked, meaning);
    return covers[at]! + alike + typed + MIX.neighbour * (covers[at - 1] ?? 0) + (kind === "heading" ? MIX.heading : 0);
  });
  return { matches, shares, peaks, fitting };
}

/** Lists whole with the line that introduces them. */
function extend(units: readonly TextUnit[], first: number, last: number): [from: number, to: number] {
  let [from, to] = [first, last];
  const isItem = (at: number): boolean => units[at]?.kind === "item";
  if (isItem(from)) {
    while (isItem(from - 1) && units[from - 1]!.block === units[from]!.block) from--;
    const before = units[from - 1];
    if (before !== undefined && (before.kind === "heading" || before.block === units[from]!.block)) from--;
  }
  if (units[to]!.kind === "heading" && isItem(to + 1)) to++;
  while (isItem(to) && isItem(to + 1) && units[to + 1]!.block === units[to]!.block) to++;
  while (to > from && units[to]!.kind === "heading") to--;
  return [from, to];
}

/** The units as a text: sentences of one paragraph on one line, items on lines of their own. */
function textOf(units: readonly TextUnit[], lang: Language): string {
  let text = "";
  for (const [at, unit] of units.entries()) {
    const before = units[at - 1];
    const joins = before?.kind === "sentence" && unit.kind !== "item" && before.line === unit.line;
    text += at === 0 ? unit.text : `${joins ? (lang === "zh" ? "" : " ") : "\n"}${unit.text}`;
  }
  return text;
}

/** Kinds of question by their form, and what a sentence that answers one usually contains. The first match wins. */
const TYPES = PATTERNS.map((type) => patternsOf(type));

/** A test of whether a sentence contains what such a question asks for; undefined for a question of no such form. */
export function answerTypeOf(question: string): ((sentence: string) => boolean) | undefined {
  const folded = fold(question);
  const type = TYPES.find(({ asks }) => asks.test(folded));
  return type === undefined ? undefined : (sentence) => type.holds.test(fold(sentence));
}
