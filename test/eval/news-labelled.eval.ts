import { describe, it } from "vitest";
import { scoreHeadlines, scorePairs, scoreSentiment, type Split } from "./labelled-news.ts";

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

describe.each<Split>(["tuning", "held"])("labelled news, %s", (split) => {
  it("headlines", async () => {
    const { zh, en, both, across, mistakes } = await scoreHeadlines(split);
    print(split, { "Chinese headlines": zh, "English headlines": en, both }, mistakes);
    print(split, { "across languages": across }, []);
  });

  it("pairs", async () => {
    const table: Record<string, object> = { alone: await scorePairs(split, false) };
    const among = await scorePairs(split, true);
    table["among the headlines"] = among;
    for (const language of ["zh", "en", "cross"]) table[language] = await scorePairs(split, false, language);
    print(split, table, among.mistakes);
  });

  it("sentiment", () => {
    const [zh, en] = [scoreSentiment(split, "zh"), scoreSentiment(split, "en")];
    print(split, { Chinese: zh, English: en }, [...zh.mistakes, ...en.mistakes]);
  });
});
