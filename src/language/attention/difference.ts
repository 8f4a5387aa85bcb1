import { type Figure, UNIT_SORTS, type Unit } from "./units.ts";

/** A unit, and how rare its word is: 0 to 1, 1 if it has no vector. */
export type WeighedUnit = Unit & { readonly rarity: number };
/** A text as the network reads it. */
export interface ReadText<U extends WeighedUnit> {
  readonly units: readonly U[];
  readonly isChinese: boolean;
}

/** What each of two texts has and the other has not, and measures of what they share: shares of 0 to 1, counts in eights.
 * @param more measures by the caller */
export function differenceOf<U extends WeighedUnit>(a: ReadText<U>, b: ReadText<U>, more: readonly number[]) {
  const only = [unitsMissing(a, b), unitsMissing(b, a)] as const;
  const shared = a.units.filter((unit) => !only[0].includes(unit));
  const figures = [has(only[0], "figure"), has(only[1], "figure")] as const;
  const assets = [has(only[0], "asset"), has(only[1], "asset")] as const;
  const measures = [
    shared.length / 8,
    only[0].length / 8,
    only[1].length / 8,
    rare(shared) / (rare(a.units) || 1),
    rare(shared) / (rare(b.units) || 1),
    shared.length / (Math.min(a.units.length, b.units.length) || 1),
    shared.length / (a.units.length + b.units.length - shared.length || 1),
    has(shared, "figure"),
    ...figures,
    figures[0] * figures[1],
    has(shared, "asset"),
    assets[0] * assets[1],
    Math.abs(assets[0] - assets[1]),
    Number(a.isChinese && b.isChinese),
    Number(a.isChinese !== b.isChinese),
    inOrder(shared.map(keyOf), b.units.map(keyOf)) / (shared.length || 1),
    ...more,
  ];
  return { only, measures };
}
export const MEASURES = 17; // Without those of the caller.

const keyOf = ({ key }: Unit): string => key;
const rare = (units: readonly WeighedUnit[]): number => units.reduce((sum, { rarity }) => sum + rarity, 0);
const has = (units: readonly Unit[], sort: Unit["sort"]): number => Number(units.some((unit) => unit.sort === sort));

/** The share of what the shorter text says that both say, units weighed by how rare they are: 0 to 1. */
export function overlapOf(a: ReadText<WeighedUnit>, b: ReadText<WeighedUnit>): number {
  const least = Math.min(rare(a.units), rare(b.units));
  return least === 0 ? 0 : Math.min(1, (rare(a.units) - rare(unitsMissing(a, b))) / least + 1e-9); // Sums are rounded.
}

const unitsMissing = <U extends WeighedUnit>(text: ReadText<U>, other: ReadText<U>): U[] =>
  text.units.filter((unit) => !isAmong(other.units, unit));

/** Whether some units have one of the same key, or of the same figure by the digits of that which has fewer. */
function isAmong(units: readonly WeighedUnit[], { key, figure }: WeighedUnit): boolean {
  for (const unit of units)
    if (unit.key === key || (figure !== undefined && areEqual(figure, unit.figure))) return true;
  return false;
}

const areEqual = (a: Figure, b: Figure | undefined): boolean =>
  a.unit === b?.unit && Math.abs(a.value - b.value) <= Math.max(a.within, b.within);

/** How many of some keys are in the same order in others, at most. */
export function inOrder(keys: readonly string[], others: readonly string[]): number {
  const ends: number[] = []; // The least place that a run of each length ends at.
  for (const key of keys) {
    const place = others.indexOf(key);
    let at = 0;
    while (at < ends.length && ends[at]! < place) at++;
    if (place >= 0) ends[at] = place;
  }
  return ends.length;
}

/** Writes what is said of a unit that one text alone has, besides its vector.
 * @param others those that the other text alone has
 * @param likest the cosine of that one of them which is most like it */
export function writeFlags(
  target: Float32Array | Float64Array,
  at: number,
  { sort, rarity, isName }: WeighedUnit,
  others: readonly WeighedUnit[],
  isOfSecond: boolean,
  likest: number,
): void {
  target.fill(0, at, at + FLAGS);
  target[at + UNIT_SORTS.indexOf(sort)] = 1;
  const from = at + UNIT_SORTS.length;
  target[from] = rarity;
  if (rarity === 1) target[from + 1] = 1;
  if (isOfSecond) target[from + 2] = 1;
  for (const other of others) if (other.sort === sort) target[from + 3] = 1;
  if (others.length === 0) target[from + 4] = 1;
  if (isName) target[from + 5] = 1;
  target[at + LIKEST] = likest;
}
export const FLAGS = UNIT_SORTS.length + 7;
export const LIKEST = FLAGS - 1; // Where the cosine is.
