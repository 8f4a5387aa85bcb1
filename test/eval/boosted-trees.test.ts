import { describe, expect, it } from "vitest";
import { leavesOf } from "../../src/assistant/answering/decide-outcome.ts";
import { fitTrees } from "./boosted-trees.ts";

const BOOSTING = { depth: 2, rounds: 40, rate: 0.3, ridge: 0.001, least: 10, rising: [] };

/** Four hundred rows whose label is the given one of their two columns, of 0 to 19; the third column says nothing. */
const rowsOf = (isPositive: (a: number, b: number) => boolean) =>
  Array.from({ length: 400 }, (_, at) => {
    const [a, b] = [at % 20, Math.floor(at / 20)];
    return { values: [a, b, 5], isPositive: isPositive(a, b), weight: 1 };
  });

describe("boosted trees", () => {
  it("are read from the first split on: below its threshold to the first child", () => {
    const tree = [0, 10, 1, 3, 1, 7, 0.1, 0.2, 0.3, 0.4];
    const values = [9, 9, 10, 10].map((a, at) => [a, [2, 3, 6.9, 7][at]!]);
    expect(values.map((row) => leavesOf([tree], row))).toEqual([0.1, 0.2, 0.3, 0.4]);
    expect(leavesOf([tree, [1, 0, -1, 1]], [9, 2])).toBeCloseTo(1.1);
    expect(leavesOf([], [9, 2])).toBe(0);
  });

  it("tell what two columns say only together", () => {
    const rows = rowsOf((a, b) => a < 10 !== b < 10);
    const trees = fitTrees(rows, ({ values: [a = 0, b = 0] }) => (a < 3 && b < 3 ? 1 : 0), BOOSTING);
    for (const { values, isPositive } of rows) expect(leavesOf(trees, values) > 0, String(values)).toBe(isPositive);
  });

  it("add nothing to what is right already", () => {
    const rows = rowsOf((a) => a < 10);
    const trees = fitTrees(rows, ({ isPositive }) => (isPositive ? 30 : -30), BOOSTING);
    for (const { values } of rows) expect(Math.abs(leavesOf(trees, values))).toBeLessThan(0.01);
  });

  it("split no fewer rows off than a leaf must have", () => {
    const rows = rowsOf((a) => a < 3);
    const [tree = []] = fitTrees(rows, () => 0, { ...BOOSTING, least: 200 });
    expect(rows.filter(({ values }) => values[tree[0]!]! < tree[1]!).length).toBe(200);
    expect(new Set(rows.map(({ values }) => leavesOf([tree], values))).size).toBe(2);
  });

  it.each([
    ["at a split", (a: number, b: number) => (a < 5 || (a >= 10 && b < 4) || a > 17) && b !== 9],
    ["below it", (a: number, b: number) => (a < 10 ? b < 8 : b >= 8)],
  ])("never say less of more of a column that speaks for it, whatever the rows say %s", (_, isPositive) => {
    const rows = rowsOf(isPositive);
    const [trees, free] = [fitTrees(rows, () => 0, { ...BOOSTING, rising: [0] }), fitTrees(rows, () => 0, BOOSTING)];
    const falls = (of: typeof trees): number =>
      rows.filter(({ values: [a = 0, b = 0] }) => leavesOf(of, [a + 1, b, 5]) < leavesOf(of, [a, b, 5])).length;
    expect(falls(trees)).toBe(0);
    expect(falls(free)).toBeGreaterThan(0);
    expect(new Set(rows.map(({ values }) => leavesOf(trees, values))).size).toBeGreaterThan(2);
  });

  it("count a row by its weight, and are the same each time", () => {
    const rows = rowsOf((a, b) => (a + b) % 2 === 0).map((row) => ({ ...row, weight: row.isPositive ? 3 : 1 }));
    const trees = fitTrees(rows, () => 0, BOOSTING);
    const mean = rows.reduce((sum, { values }) => sum + leavesOf(trees, values), 0) / rows.length;
    expect(mean).toBeGreaterThan(0.9); // The logit of three in four is 1.1.
    expect(fitTrees(rows, () => 0, BOOSTING)).toEqual(trees);
  });
});
