import fc from "fast-check";
import { expect, test } from "vitest";
import { HALF_LIFE_MS, heatOf, type Report, trendAt, trendEnds } from "../../../src/news/topics/heat.ts";
import { HOUR, NOON } from "../world.ts";

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

test("the trend compares to the heat an hour ago, at every later instant, whatever the order of the items", () => {
  const later = fc.integer({ min: NOON, max: NOON + 3 * HOUR });
  const recent = fc.record({
    source: fc.constantFrom("a", "b", "c", "d"),
    published_ms: fc.integer({ min: NOON - 2 * HOUR, max: NOON }),
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(telling, recent), { minLength: 1, maxLength: 20 }), later, (story, now) => {
      const past = heatOf(
        story.filter(({ published_ms }) => published_ms <= now - HOUR),
        now - HOUR,
      );
      const ratio = past === 0 ? Infinity : heatOf(story, now) / past;
      const expected = ratio > 1.05 ? "rising" : ratio < 0.95 ? "falling" : "steady";
      expect(trendAt(trendEnds(story.toReversed(), NOON), now)).toBe(expected);
    }),
  );
});

test("a story rises with a second outlet, is steady with a repeat after hours, and falls in an hour without an item", () => {
  const at = (hours: number, source = "a"): Report => ({ source, published_ms: NOON - hours * HOUR });
  const trend = (...story: Report[]): string => trendAt(trendEnds(story, NOON), NOON);
  expect(trend(at(0))).toBe("rising");
  expect(trend(at(5), at(0.5, "b"))).toBe("rising");
  expect(trend(...[1.1, 2, 3, 4, 5, 6, 7, 8].map((hours) => at(hours)), at(0.5))).toBe("steady");
  expect(trend(at(5), at(1, "b"))).toBe("falling");
  expect(trend()).toBe("steady");
});
