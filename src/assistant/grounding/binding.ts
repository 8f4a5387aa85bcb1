import { hasHan } from "../../language/detect-language.ts";
import { isFunctional } from "../../language/stop-words.ts";
import { groupBy } from "../../runtime/group-by.ts";
import { memoized } from "../../runtime/cache/memoized.ts";
import { termsOfFolded } from "../retrieval/language-index.ts";
import BOUNDS from "./data/bounds.json" with { type: "json" };
import { figuresOf, type Figure } from "./figures.ts";
import { isSame } from "./same-figure.ts";
import type { SourceClause } from "./source-text.ts";

const { binding: LEAST } = BOUNDS;

/** The labels that distinguish a clause from others with figures: its other words, "VIP 3", TRC-20, 一区, its figures. */
const labelsOf = memoized((folded: string) => {
  const figures = figuresOf(folded).filter(({ unit }) => unit !== undefined);
  const bare = figures.map(({ start }, at) => folded.slice(figures[at - 1]?.end ?? 0, start));
  const text = [...bare, folded.slice(figures.at(-1)?.end ?? 0)].join(" ");
  const words = termsOfFolded(text).filter((word) => !isFunctional(word) && !/^[\d.,]+$/.test(word));
  const numbered = Array.from(text.matchAll(NUMBERED), ([, glued, name, number, digit, kind]) => {
    return [glued ?? name ?? kind!, number ?? digit!] as const;
  });
  const all = [...words, ...numbered.map((label) => label.join(" ")), ...figures.map(keyOf)];
  return { all: new Set(all), numbered: new Map(numbered) }; // Label to number: "vip" to "3".
}, 5000);

const NUMBERED =
  /(?<![a-z])(?:([a-z]{2,})-?|(vip|lv|level|tier|zone|kyc|group|grade|class|type|band|step|phase|version) )(\d{1,3})(?![\d.,%a-z])|([一二三四五六七八九十\d]{1,2})\s?([区级档类星])/g;

const keyOf = ({ kind, unit, value }: Figure): string => `${kind} ${unit} ${value}`;

/** Whether a clause names rows or columns of a table or list, but the figure is in other rows or another column of it. */
export function isOfOtherRow(figure: Figure, clause: string, clauses: readonly SourceClause[]): boolean {
  const keyed = clauses.filter(({ key }) => key !== "");
  return [...groupBy(keyed, ({ source, group }) => `${source} ${group}`).values()].some((cells) => {
    const named = (by: "key" | "column") => namedIn(clause, new Set(cells.map((cell) => cell[by])));
    const [keys, columns] = [named("key"), named("column")];
    const isNamed = ({ key, column }: SourceClause): boolean =>
      (keys.size === 0 || keys.has(key)) && (columns.size === 0 || columns.has(column));
    const holding = cells.filter((cell) => holds(cell, figure));
    if (holding.length === 0 || holding.some(isNamed)) return false;
    const isFilled = cells.some((cell) => isNamed(cell) && hasLike(cell, figure));
    return isFilled || (keys.size > 0 && !holding.some(({ key }) => keys.has(key)));
  });
}

/** The keys for which a clause has most of the words that no other key has. */
function namedIn(clause: string, keys: ReadonlySet<string>): ReadonlySet<string> {
  const said = labelsOf(clause).all;
  const labels = [...keys].flatMap((key) => [...labelsOf(key).all]);
  const isNamed = (key: string): boolean => {
    const own = [...labelsOf(key).all].filter((label) => labels.indexOf(label) === labels.lastIndexOf(label));
    return own.length > 0 && own.filter((label) => said.has(label)).length >= own.length * LEAST.named;
  };
  return new Set([...keys].filter(isNamed));
}

/** Whether some part of a sentence, list or table with a different figure of the same kind shares more distinguishing words
 * with the clause than every part with the figure. Words are weighted by inverse document frequency, and less if they only
 * occur before the clause. */
export function isOfOtherPart(figure: Figure, clause: string, before: string, clauses: readonly SourceClause[]) {
  if (figure.kind === "amount" && figure.unit === undefined && Number.isInteger(figure.value)) return false;
  const figures = figuresOf(clause).filter((one) => isLike(one, figure));
  const numbered = new Map([...labelsOf(before).numbered, ...labelsOf(clause).numbered]);
  const numberedIn = (row: SourceClause) =>
    [labelsOf(row.text).numbered, labelsOf(row.before).numbered].find(({ size }) => size > 0) ?? [];
  const isOf = (row: SourceClause, same: boolean) =>
    [...numberedIn(row)].some(([name, number]) => numbered.has(name) && (numbered.get(name) === number) === same);
  const like = clauses.filter((row) => hasLike(row, figure));
  const labelled = like.filter((row) => isOf(row, true));
  const rows = labelled.length > 0 ? labelled : like.filter((row) => !isOf(row, false));
  const holding = rows.filter((row) => holds(row, figure));
  if (holding.length === 0) return labelled.length > 0 && like.some((row) => holds(row, figure));
  if (figures.length > 1 && holding.some((row) => figures.every((one) => holds(row, one)))) return false;
  const isHan = hasHan(clause);
  const others = rows.filter((row) => hasHan(row.text) === isHan && !figures.some((one) => holds(row, one)));
  const said = new Map([...labelsOf(before).all].map((label) => [label, LEAST.before]));
  for (const label of labelsOf(clause).all) said.set(label, 1);
  const own = figuresOf(`${before} ${clause}`).filter((one) => one.unit === "time" || isLike(one, figure));
  for (const one of own) said.delete(keyOf(one));
  const shares = new Map(rows.map((row): [SourceClause, number[]] => [row, []]));
  for (const [label, weight] of said) {
    const credits = rows.map((row) => creditIn(label, row));
    const all = credits.reduce((sum, credit) => sum + credit, 0);
    const rarity = weight * Math.log((rows.length + 0.5) / Math.max(all, 1));
    rows.forEach((row, at) => shares.get(row)!.push(credits[at]! * rarity));
  }
  const beyond = (some: SourceClause, other: SourceClause): number =>
    shares.get(some)!.reduce((sum, share, at) => sum + Math.max(0, share - shares.get(other)![at]!), 0);
  return others.some((other) => {
    const inSource = holding.filter(({ source }) => source === other.source);
    const nearness = inSource.some(({ group }) => group === other.group) ? 1 : inSource.length > 0 ? LEAST.far : 0;
    return holding.every((one) => {
      const more = beyond(other, one) * nearness;
      return more >= LEAST.more && beyond(one, other) <= more * LEAST.less;
    });
  });
}

function creditIn(label: string, { text, before }: SourceClause): number {
  const { all } = labelsOf(text);
  if (all.has(label)) return 1;
  // A short part continues the subject of the part before it.
  return labelsOf(before).all.has(label) ? (all.size < 3 ? 0.9 : LEAST.before) : 0;
}

const holds = ({ figures }: SourceClause, figure: Figure): boolean => figures.some((one) => isSame(figure, one, false));

const isLike = (one: Figure, figure: Figure): boolean =>
  one.kind === figure.kind && !one.inWords && (one.unit === figure.unit || one.kind === "date");

const hasLike = ({ figures }: SourceClause, figure: Figure): boolean => figures.some((one) => isLike(one, figure));
