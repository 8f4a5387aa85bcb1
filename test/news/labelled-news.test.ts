import { describe, expect, test } from "vitest";
import { type Part, scoreHeadlines, scorePairs, scoreSentiment } from "../eval/labelled-news.ts";

/** Just under the figures of the tuning split: what is less is a step back. */
const FLOORS: Record<Part, Record<"zh" | "en" | "across" | "wrong" | "merged" | "joined" | "sentiment", number>> = {
  1: { zh: 0.9, en: 0.83, across: 0.9, wrong: 0.04, merged: 0.05, joined: 0.85, sentiment: 0.9 },
  2: { zh: 0.9, en: 0.84, across: 0.9, wrong: 0.07, merged: 0.35, joined: 0.6, sentiment: 0.6 },
};

describe.each([1, 2] as const)("of part %i", (part) => {
  const floors = FLOORS[part];

  test("labelled headlines are grouped by event, also across languages", async () => {
    const { zh, en, across } = await scoreHeadlines("tuning", part);
    expect(zh.b3F1).toBeGreaterThan(floors.zh);
    expect(en.b3F1).toBeGreaterThan(floors.en);
    expect(across.joined).toBeGreaterThan(floors.across);
    expect(across.wrong).toBeLessThan(floors.wrong);
  });

  test("titles that differ in what matters are kept apart, reworded ones are not", async () => {
    const { merged, joined } = await scorePairs("tuning", part, true);
    expect(merged).toBeLessThan(floors.merged);
    expect(joined).toBeGreaterThan(floors.joined);
  });

  test.each(["zh", "en"] as const)("labelled titles get their sentiment: %s", (language) => {
    expect(scoreSentiment("tuning", part, language).macroF1).toBeGreaterThan(floors.sentiment);
  });
});
