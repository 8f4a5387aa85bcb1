import fc from "fast-check";
import { expect, test } from "vitest";
import { HALF_LIFE_MS, heatOf, type Report } from "../../../src/news/topics/heat.ts";
import { NOON } from "../world.ts";

const telling = fc.record({
  source: fc.constantFrom("a", "b", "c", "d"),
  published_ms: fc.integer({ min: NOON - 10 * HALF_LIFE_MS, max: NOON }),
});
const reports = fc.array(telling, { minLength: 1, maxLength: 20 });

test("one item just published has heat 1; two outlets have log2(3) times two", () => {
  expect(heatOf([{ source: "a", published_ms: NOON }], NOON)).toBe(1);
  const both: Report[] = [
    { source: "a", published_ms: NOON },
    { source: "b", published_ms: NOON },
  ];
  expect(heatOf(both, NOON)).toBeCloseTo(2 * Math.log2(3));
});

test("counts an outlet of weight 2 as two outlets, and one of weight 0.5 as half of one", () => {
  const [a, b] = ["a", "b"].map((source): Report => ({ source, published_ms: NOON }));
  expect(heatOf([{ ...a!, weight: 2 }], NOON)).toBeCloseTo(heatOf([a!, b!], NOON));
  expect(heatOf([a!, { ...b!, weight: 0.5 }], NOON)).toBeCloseTo(1.5 * Math.log2(2.5));
});

test("counts the second item of an outlet half", () => {
  const one = { source: "a", published_ms: NOON };
  expect(heatOf([one, one], NOON)).toBe(1.5);
});

test("halves every half-life without news", () => {
  fc.assert(
    fc.property(reports, (story) => {
      expect(heatOf(story, NOON + HALF_LIFE_MS)).toBeCloseTo(heatOf(story, NOON) / 2);
    }),
  );
});

test("never falls with one more report", () => {
  fc.assert(
    fc.property(reports, telling, (story, more) => {
      expect(heatOf([...story, more], NOON)).toBeGreaterThanOrEqual(heatOf(story, NOON) - 1e-9);
    }),
  );
});

test("grows more by an outlet more than by an item more of the same outlet", () => {
  fc.assert(
    fc.property(reports, fc.integer({ min: NOON - HALF_LIFE_MS, max: NOON }), (story, published_ms) => {
      const again = heatOf([...story, { source: story[0]!.source, published_ms }], NOON);
      const other = heatOf([...story, { source: "new", published_ms }], NOON);
      expect(other).toBeGreaterThan(again);
    }),
  );
});

test("does not depend on the order of the items", () => {
  fc.assert(
    fc.property(reports, (story) => {
      expect(heatOf(story.toReversed(), NOON)).toBeCloseTo(heatOf(story, NOON));
    }),
  );
});
