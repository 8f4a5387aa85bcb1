import { type Figure, UNIT_SORTS, type Unit } from "./units.ts";

/** A unit with the rarity of its word: 0 to 1, 1 for a word without a vector. */
export type WeighedUnit = Unit & { readonly rarity: number };
/** A text as input of the network. */
export interface ReadText<U extends WeighedUnit> {
  readonly units: readonly U[];
  readonly isChinese: boolean;
}

/** The units that only one of two texts has, and measures of the overlap: ratios from 0 to 1, counts divided by 8.
 * @param more the caller's measures, appended to the others */
export function differenceOf<U extends WeighedUnit>(a: ReadText<U>, b: ReadText<U>, more: readonly number[]) {
  const only = [unitsMissing(a, b), unitsMissing(b, a)] as const;
  const shared = a.units.filter((unit) => !only[0].includes(unit));
  const figures = [has(only[0], "figure"), has(only[1], "figure")] as const;
  const assets = [has(only[0], "asset"), has(only[1], "asset")] as const;
  const measures = [
    shared.length / 8,
    only[0].length / 8,
    only[1].length / 8,
    raritySum(shared) / (raritySum(a.units) || 1),
    raritySum(shared) / (raritySum(b.units) || 1),
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
export const MEASURES = 17; // Number of measures without the caller's.

const keyOf = ({ key }: Unit): string => key;
const raritySum = (units: readonly WeighedUnit[]): number => units.reduce((sum, { rarity }) => sum + rarity, 0);
const has = (units: readonly Unit[], sort: Unit["sort"]): number => Number(units.some((unit) => unit.sort === sort));

/** The sum of the rarities of the units that two texts share. */
export const rarityShared = (a: ReadText<WeighedUnit>, b: ReadText<WeighedUnit>): number =>
  raritySum(a.units) - raritySum(unitsMissing(a, b));

/** The overlap coefficient of the units of two texts, weighted by rarity: 0 to 1. */
export function overlapOf(a: ReadText<WeighedUnit>, b: ReadText<WeighedUnit>, shared = rarityShared(a, b)): number {
  const least = Math.min(raritySum(a.units), raritySum(b.units));
  return least === 0 ? 0 : Math.min(1, shared / least + 1e-9); // Rounding tolerance.
}

const unitsMissing = <U extends WeighedUnit>(text: ReadText<U>, other: ReadText<U>): U[] =>
  text.units.filter((unit) => !isAmong(other.units, unit));

/** Whether `units` contain an equal key, or an equal figure within the rounding of the coarser one. */
function isAmong(units: readonly WeighedUnit[], { key, figure }: WeighedUnit): boolean {
  for (const unit of units)
    if (unit.key === key || (figure !== undefined && areEqual(figure, unit.figure))) return true;
  return false;
}

const areEqual = (a: Figure, b: Figure | undefined): boolean =>
  a.unit === b?.unit && Math.abs(a.value - b.value) <= Math.max(a.within, b.within);

/** The length of the longest subsequence of `keys` that has the same order in `others`. */
export function inOrder(keys: readonly string[], others: readonly string[]): number {
  const ends: number[] = []; // The lowest position at which a subsequence of each length ends.
  for (const key of keys) {
    const place = others.indexOf(key);
    let at = 0;
    while (at < ends.length && ends[at]! < place) at++;
    if (place >= 0) ends[at] = place;
  }
  return ends.length;
}

/** Writes the features of a unit that only one text has, other than its vector.
 * @param others the units that only the other text has
 * @param likest the unit's highest cosine with one of `others` */
export function writeFlags(
  target: Float32Array | Float64Array,
  at: number,
  { sort, rarity, isName }: WeighedUnit,
  others: readonly WeighedUnit[],
  isOfSecond: boolean,
  likest: number,
): void {
  for (let flag = 0; flag < FLAGS; flag++) target[at + flag] = 0;
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
export const LIKEST = FLAGS - 1; // Index of the cosine.
