import { UNIT_SORTS, type Unit } from "./units.ts";

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
  const only = [a.units.filter(notIn(b)), b.units.filter(notIn(a))] as const;
  const shared = a.units.filter((unit) => !only[0].includes(unit));
  const rare = (units: readonly U[]): number => units.reduce((sum, { rarity }) => sum + rarity, 0);
  const has = (units: readonly U[], sort: Unit["sort"]): number => Number(units.some((unit) => unit.sort === sort));
  const figures = only.map((units) => has(units, "figure")) as [number, number];
  const assets = only.map((units) => has(units, "asset")) as [number, number];
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
    inOrder(keysOf(shared), keysOf(b.units)) / (shared.length || 1),
    ...more,
  ];
  return { only, measures };
}
export const MEASURES = 17; // Without those of the caller.

const keysOf = (units: readonly Unit[]): string[] => units.map(({ key }) => key);

/** The share of the shorter text's units that both have. */
export function overlapOf(a: ReadText<WeighedUnit>, b: ReadText<WeighedUnit>): number {
  const shared = a.units.length - a.units.filter(notIn(b)).length;
  return shared / (Math.min(a.units.length, b.units.length) || 1);
}

/** A test of whether a text has a unit nowhere: figures are the same if one is the other in two digits. */
function notIn({ units }: ReadText<WeighedUnit>): (unit: WeighedUnit) => boolean {
  const keys = new Set(units.map(({ key }) => key));
  const rounded = new Set(units.map((unit) => unit.rounded));
  return (unit) => !keys.has(unit.key) && !keys.has(unit.rounded ?? unit.key) && !rounded.has(unit.key);
}

/** How many of some keys stand in the same order in others, at most. */
export function inOrder(keys: readonly string[], others: readonly string[]): number {
  const ends: number[] = []; // The least place that a run of each length ends at.
  for (const place of keys.map((key) => others.indexOf(key))) {
    const at = ends.findIndex((end) => end >= place);
    if (place >= 0) ends[at < 0 ? ends.length : at] = place;
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
export const LIKEST = FLAGS - 1; // Where the cosine stands.
