import type { Language } from "../../contract/schemas/shared-fields.ts";
import { searchTerms } from "./language-index.ts";
import { matchOf, type RankedArticle } from "./rank-articles.ts";
import type { UnitRating } from "./rate-units.ts";
import type { TextUnit } from "./text-units.ts";
import TUNING from "./tuning.json" with { type: "json" };

/** The span of an article that answers best. */
export type AnswerWindow = Readonly<ReturnType<typeof chooseWindow>>;

const MIX = TUNING.windows;

/** Chooses the contiguous units with the best score, and extends them to the end of a list.
 * @param length factor of the usual maximum length */
export function chooseWindow({ found, groups, titleCoverage }: RankedArticle, rating: UnitRating, length = 1) {
  const { matches, shares, fitting, judged, steps } = rating;
  const { units } = found.details();
  const peaks = rating.peaks.map((peak, at) => peak + MIX.judged.share * judged[at]! + (steps[at]! ? MIX.steps : 0));
  const most = MIX.length[found.lang] * length;
  let best = { from: 0, to: 0, score: -Infinity };
  for (let from = 0; from < units.length; from++) {
    const covered = shares.map(() => 0);
    const window = { characters: 0, coverage: 0, peak: -Infinity };
    for (let to = from; to < units.length; to++) {
      window.characters += units[to]!.text.length;
      if (to > from && window.characters > most) break;
      matches[to]!.forEach((value, at) => {
        if (value <= covered[at]!) return;
        window.coverage += (value - covered[at]!) * shares[at]!;
        covered[at] = value;
      });
      window.peak = Math.max(window.peak, peaks[to]!);
      const score = window.coverage + MIX.peak * window.peak + (MIX.lead * titleCoverage) / (1 + from);
      const isLonger = from === best.from && score > best.score - 1e-9; // Of two equal scores, the longer one.
      if (score > best.score + 1e-9 || isLonger) best = { from, to, score };
    }
  }
  const [from, to] = extend(units, best.from, best.to);
  const rows = [...units.keys()].slice(from, to + 1).filter((at) => units[at]!.head !== undefined);
  const asked = new Set(rowsAsked(rows, units, groups, matches).map((at) => units[at]!));
  const quoted = units.slice(from, to + 1).filter((unit) => unit.head === undefined || asked.has(unit));
  const inBest = <T>(list: readonly T[]): T[] => list.slice(best.from, best.to + 1);
  return {
    text: textOf(quoted, found.lang),
    score: best.score,
    /** Whether it contains the answer type of the question; undefined when the question has no known type. */
    fits: fitting && inBest(fitting).includes(true),
    judged: Math.max(...inBest(judged)), // The network's highest score of its units, 0 to 9.
  };
}

/** Extends a window to whole lists with their leading line. */
function extend(units: readonly TextUnit[], first: number, last: number): [from: number, to: number] {
  let [from, to] = [first, last];
  const isItem = (at: number): boolean => units[at]?.kind === "item";
  if (isItem(from)) {
    while (isItem(from - 1) && units[from - 1]!.block === units[from]!.block) from--;
    const before = units[from - 1];
    if (before !== undefined && (before.kind === "heading" || before.block === units[from]!.block)) from--;
  }
  const isQuestion = /[?？]$/.test(units[to]!.text); // The next unit answers it.
  if (units[to + 1] !== undefined && (isQuestion || (units[to]!.kind === "heading" && isItem(to + 1)))) to++;
  while (isItem(to) && isItem(to + 1) && units[to + 1]!.block === units[to]!.block) to++;
  while (to > from && units[to]!.kind === "heading") to--;
  return [from, to];
}

/** The rows of a long table whose first cell the question names in full, if they match all that any row matches. */
function rowsAsked(rows: number[], units: readonly TextUnit[], groups: RankedArticle["groups"], matches: number[][]) {
  if (rows.length < MIX.rows.most) return rows;
  const names = rows.map((row) => new Set(searchTerms(units[row]!.text.split("|")[1] ?? "")));
  const terms = new Set(groups.flatMap(({ alternatives }) => alternatives.flatMap((one) => one.terms)));
  const asked = groups.flatMap(({ alternatives, weight }) => {
    const isNamed = (name: Set<string>): boolean =>
      matchOf(alternatives, (term) => name.has(term)) >= MIX.rows.named && [...name].every((term) => terms.has(term));
    const named = rows.filter((_, at) => isNamed(names[at]!));
    return weight >= MIX.rows.weight && named.length <= rows.length / 2 ? named : [];
  });
  const covered = matches[0]!.map((_, group) => asked.reduce((most, row) => Math.max(most, matches[row]![group]!), 0));
  const isAll = rows.every((row) => matches[row]!.every((value, group) => value <= covered[group]!));
  return isAll && asked.length > 0 ? asked : rows;
}

/** Joins units to a text: sentences of one line stay on one line, every item has its own line. */
function textOf(units: readonly TextUnit[], lang: Language): string {
  let text = "";
  for (const [at, unit] of units.entries()) {
    const before = units[at - 1];
    const joins = before?.kind === "sentence" && unit.kind !== "item" && before.line === unit.line;
    text += at === 0 ? unit.text : `${joins ? (lang === "zh" ? "" : " ") : "\n"}${unit.text}`;
  }
  return text;
}
