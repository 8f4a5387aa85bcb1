import { describe, expect, it } from "vitest";
import { prepareQuestion } from "../../src/assistant/assistant.ts";
import { AnswerIndex } from "../../src/assistant/retrieval/answer-index.ts";
import WORDINGS from "../../src/service/chat/account-answers.json" with { type: "json" };
import { toTraditional } from "../../src/language/to-traditional.ts";
import { hasHan } from "../../src/language/detect-language.ts";
import { passage } from "./passages.ts";

const help = (id: string, title: string, text: string) =>
  passage({ id, title, text, lang: hasHan(title) ? "zh" : "en" });

const titles = Object.values(WORDINGS.facts).flatMap(({ zh, en }) => [zh, en, toTraditional(zh, "tw")]);
const nouns = [
  ...["积分", "点数", "积分余额", "余额", "免费次数", "今日免费次数", "积分明细", "有多少积分", "当前余额"],
  ...["積分餘額", "餘額", "免費次數", "今日免費次數", "積分明細", "有多少積分"],
  ...["points", "points balance?", "how many points", "balance", "Free uses today", "Points ledger", "free questions"],
];
const WAREHOUSE = [
  help(
    "a",
    "How points are earned",
    "A customer earns one point for each parcel. The balance of points is in the app.",
  ),
  help(
    "b",
    "Balancing a pallet",
    "The balance of a pallet depends on how it is stacked. Free uses of the forklift: two.",
  ),
  help("c", "积分怎么获得", "每寄一个包裹获得一个积分。积分余额与积分明细在应用中查看，免费次数每天更新。"),
];

const prepare = (question: string, index: AnswerIndex) =>
  prepareQuestion({ question, history: [], research: false, refused: [], now: 0 }, index);

describe("an account noun alone", () => {
  const index = new AnswerIndex(WAREHOUSE);

  it.each([...titles, ...nouns])("asks for the caller's figures: %s", (question) => {
    expect(prepare(question, index)).toMatchObject({ kind: "account", routing: { route: "account" } });
    expect(prepare(question, new AnswerIndex())).toMatchObject({ kind: "account" });
  });

  it.each([
    ...["余额宝", "积分商城", "怎么获得积分", "免费次数规则", "额度", "保单余额怎么查"],
    ...[
      "balance a pallet",
      "work-life balance",
      "points of sale",
      "free shipping",
      "exchange",
      "ledger",
      "match points",
    ],
  ])("is not %s", (question) => {
    expect(prepare(question, index).kind).toBe("other");
  });

  it.each(["积分余额", "積分餘額", "Points ledger", "balance?"])(
    "is the article of exactly that title: %s",
    (question) => {
      const titled = [
        help("d", "积分余额", "余额为零时不能下单。"),
        help("e", "Points ledger", "The ledger of a season."),
      ];
      const index = new AnswerIndex([
        ...WAREHOUSE,
        ...titled,
        help("f", "Balance", "Scales are balanced each morning."),
      ]);
      const { kind, answer } = prepare(question, index);
      expect([kind, answer?.outcome]).toEqual(["other", "answered"]);
      expect(["d", "e", "f"]).toContain(answer?.sources[0]?.id);
    },
  );
});
