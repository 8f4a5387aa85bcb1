import { expect, test } from "vitest";
import { scoreHeadlines, scorePairs, scoreSentiment } from "../eval/labelled-news.ts";

test("labelled headlines are grouped by event, also across languages", async () => {
  const { zh, en, across } = await scoreHeadlines("tuning");
  expect(zh.b3F1).toBeGreaterThan(0.9);
  expect(en.b3F1).toBeGreaterThan(0.83);
  expect(across.joined).toBeGreaterThan(0.9);
  expect(across.wrong).toBeLessThan(0.04);
});

test("titles that differ in what matters are kept apart, reworded ones are not", async () => {
  const { merged, joined } = await scorePairs("tuning", true);
  expect(merged).toBeLessThan(0.05);
  expect(joined).toBeGreaterThan(0.85);
});

test.each(["zh", "en"] as const)("labelled titles get their sentiment: %s", (language) => {
  expect(scoreSentiment("tuning", language).macroF1).toBeGreaterThan(0.9);
});
