import { describe, expect, it } from "vitest";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import { rankArticles } from "../../src/assistant/retrieval/rank-articles.ts";
import { rateUnits } from "../../src/assistant/retrieval/rate-units.ts";
import { detectLanguage } from "../../src/language/detect-language.ts";
import { passage } from "./passages.ts";

/** What is judged of the first article for a question. */
function judged(question: string, index: AnswerIndex) {
  const [article] = rankArticles(index, { question, lang: detectLanguage(question, "en"), now: 0 });
  const values = rateUnits(article!, question).judged;
  const { units } = article!.found.details();
  const best = values.indexOf(Math.max(...values));
  return { values, best: units[best]!.text };
}

describe("how surely a unit answers", () => {
  const index = new AnswerIndex([
    passage({
      id: "cards",
      title: "Your card",
      text: "The card is sent by post. It arrives within 9 days. A replacement costs 6 EUR. If it was stolen, block it at once in the app.",
    }),
    passage({
      id: "cards",
      lang: "zh",
      title: "您的银行卡",
      text: "卡片通过邮寄发出。9天内送达。补卡收费6欧元。如果被盗，请立即在应用中冻结。",
    }),
  ]);

  it.each([
    ["how many days until my card is here", "It arrives within 9 days."],
    ["someone took my card", "If it was stolen, block it at once in the app."],
    ["how much for a new card", "A replacement costs 6 EUR."],
    ["银行卡几天能收到", "9天内送达。"],
    ["银行卡被偷了怎么办", "如果被盗，请立即在应用中冻结。"],
  ])("%s", (question, text) => expect(judged(question, index).best).toBe(text));

  it("is less where nothing answers", () => {
    const most = (question: string): number => Math.max(...judged(question, index).values);
    expect(most("which colours does the card have")).toBeLessThan(most("how much is a replacement card"));
  });

  it("is asked of a few units alone, also where all of thousands match alike", () => {
    const long = passage({ id: "long", title: "Cards", text: "A card costs 6 EUR. ".repeat(5000) });
    const { values } = judged("how much is a card", new AnswerIndex([long]));
    expect(values).toHaveLength(5000);
    expect(values.filter((value) => value > 0).length).toBeLessThanOrEqual(3);
  });
});
