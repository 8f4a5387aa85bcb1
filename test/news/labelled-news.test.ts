import { describe, test } from "vitest";
import {
  HEADLINE_PARTS,
  PARTS,
  SENTIMENT_PARTS,
  scoreHeadlines,
  scorePairs,
  scoreSentiment,
} from "../eval/labelled-news.ts";
import { expectFloors } from "../eval/news-floors.ts";

describe.each(HEADLINE_PARTS)("of part %i", (part) => {
  test("labelled headlines are grouped by event, also across languages", async () => {
    const { zh, en, both, across } = await scoreHeadlines("tuning", part);
    const { joined, wrong } = across;
    expectFloors("tuning", part, { zh: zh.b3F1, en: en.b3F1, both: both.b3F1, across: joined, wrong });
  });

  test.each([12])("they are when they come in %i refreshes that continue the groups", async (refreshes) => {
    const { both, across } = await scoreHeadlines("tuning", part, refreshes);
    expectFloors("tuning", part, { both: both.b3F1, across: across.joined, wrong: across.wrong });
  });
});

describe.each(PARTS)("of part %i", (part) => {
  test("titles that differ in what matters are kept apart, reworded ones are not", async () => {
    const { merged, joined } = await scorePairs("tuning", part, true);
    expectFloors("tuning", part, { merged, joined });
  });
});

describe.each(SENTIMENT_PARTS)("of part %i", (part) => {
  test.each(["zh", "en"] as const)("labelled titles get their sentiment: %s", (language) => {
    expectFloors("tuning", part, { [`sentiment ${language}`]: scoreSentiment("tuning", part, language).macroF1 });
  });
});
