import { describe, it } from "vitest";
import {
  HEADLINE_PARTS,
  PARTS,
  SENTIMENT_PARTS,
  scoreHeadlines,
  scoreAcross,
  scoreGroups,
  scorePairs,
  scoreSentiment,
  type Split,
} from "./labelled-news.ts";
import { expectFloors } from "./news-floors.ts";

const SPLITS: readonly Split[] = process.env["ANP_EVAL_HELD_OUT"] === "1" ? ["tuning", "held"] : ["tuning"];
const VERBOSE = process.env["ANP_EVAL_VERBOSE"] !== undefined;

function rounded(scores: object): Record<string, number> {
  const numbers = Object.entries(scores).filter(([, value]) => typeof value === "number") as [string, number][];
  return Object.fromEntries(numbers.map(([name, value]) => [name, Math.round(value * 1000) / 1000]));
}

/** Mistakes are listed for the tuning part alone, so that nobody adjusts rules to the other. */
function print(split: Split, table: Record<string, object>, mistakes: readonly string[]): void {
  console.table(Object.fromEntries(Object.entries(table).map(([name, scores]) => [name, rounded(scores)])));
  if (VERBOSE && split === "tuning") console.log(mistakes.join("\n"));
}

const SETS = SPLITS.flatMap((split) => PARTS.map((part) => ({ split, part })));

describe.each(SETS)("labelled news, part $part, $split", ({ split, part }) => {
  it.skipIf(!HEADLINE_PARTS.includes(part))("headlines", async () => {
    const { zh, en, both, across, mistakes } = await scoreHeadlines(split, part);
    print(split, { "Chinese headlines": zh, "English headlines": en, both }, mistakes);
    print(split, { "across languages": across }, []);
    const { joined, wrong } = across;
    expectFloors(split, part, { zh: zh.b3F1, en: en.b3F1, both: both.b3F1, across: joined, wrong });
  });

  it("pairs", async () => {
    const table: Record<string, object> = { alone: await scorePairs(split, part, false) };
    const among = await scorePairs(split, part, true);
    table["among the headlines"] = among;
    for (const language of ["zh", "en", "cross"]) table[language] = await scorePairs(split, part, false, language);
    print(split, table, among.mistakes);
    expectFloors(split, part, { merged: among.merged, joined: among.joined });
  });

  it.skipIf(!SENTIMENT_PARTS.includes(part))("sentiment", () => {
    const [zh, en] = [scoreSentiment(split, part, "zh"), scoreSentiment(split, part, "en")];
    print(split, { Chinese: zh, English: en }, [...zh.mistakes, ...en.mistakes]);
    expectFloors(split, part, { "sentiment zh": zh.macroF1, "sentiment en": en.macroF1 });
  });
});

const GROUPS = SPLITS.flatMap((split) => ([1, 2, 3, 4] as const).map((part) => ({ split, part })));

describe.each(GROUPS)("labelled groups, part $part, $split", ({ split, part }) => {
  it("keep near events apart and copies together", async () => {
    const [zh, en] = [await scoreGroups(split, "zh", part), await scoreGroups(split, "en", part)];
    print(split, { Chinese: zh, English: en, "across languages": await scoreAcross(split, part) }, []);
  });
});
