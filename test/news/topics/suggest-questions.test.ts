import { describe, expect, test } from "vitest";
import { detectLanguage } from "../../../src/language/detect-language.ts";
import type { NewsItem } from "../../../src/news/snapshot/projection.ts";
import { quotable } from "../../../src/runtime/text/quotable.ts";
import { suggestQuestions } from "../../../src/news/topics/suggest-questions.ts";
import { assetsInNews } from "../../../src/language/assets.ts";

const item = (title: string, summary = ""): NewsItem => ({
  id: title,
  title,
  summary,
  url: "",
  source: "s",
  lang: detectLanguage(title, "en"),
  published_at: "2026-11-20T00:00:00.000Z",
  symbols: assetsInNews(`${title} ${summary}`),
  sentiment: "neutral",
});

const ATTACK = [
  item("Attacker drains about $87 million from Tidepool bridge", "A flaw in message checks let the attacker in."),
  item("跨链桥 Tidepool 遭攻击，损失约 8700 万美元", "合约漏洞被利用。"),
  item("Tidepool offers its attacker a bounty"),
];

describe("questions about a topic", () => {
  test("name its subject and its event, in English", () => {
    expect(suggestQuestions(ATTACK[0]!.title, ATTACK, "en")).toEqual([
      "What did Tidepool offer?",
      "What happened with Tidepool?",
    ]);
  });

  test("name its subject and its event, in Chinese", () => {
    expect(suggestQuestions(ATTACK[1]!.title, ATTACK, "zh")).toEqual([
      "跨链桥 Tidepool 遭攻击，损失多少美元？",
      "Tidepool 怎么了？",
    ]);
  });

  test("ask only what the items answer", () => {
    const untold = [item("Hackers attack the Tidepool bridge"), item("Attack hits Tidepool")];
    expect(suggestQuestions(untold[0]!.title, untold, "en").join()).not.toMatch(/How much|made? up/);
  });

  test("call an asset as the items do", () => {
    const rise = [item("比特币受市场关注", "分析师看好。"), item("市场关注比特币")];
    expect(suggestQuestions(rise[0]!.title, rise, "zh")).toEqual(["比特币怎么了？"]);
    const fund = [item("Tether in talks"), item("Celestia and Tether in talks")];
    expect(suggestQuestions("In talks", fund, "en")).toEqual(["What happened with Tether?"]);
  });

  test("find Latin names between Chinese characters", () => {
    const back = [item("阔别两年,Nexo重返美国"), item("加密借贷平台Nexo回归美国市场")];
    expect(suggestQuestions(back[0]!.title, back, "zh")).toEqual(["Nexo 怎么了？"]);
  });

  test("are none where nothing is named", () => {
    const odd = [item("A quiet week for markets"), item("Markets have a quiet week")];
    expect(suggestQuestions(odd[0]!.title, odd, "en")).toEqual([]);
    expect(suggestQuestions("市场平静的一周。", odd, "zh")).toEqual([]);
  });

  test.each([
    ["What happened to the coins?", "What happened to the coins"],
    ["“We are sorry,” says the founder!", "‘We are sorry,’ says the founder"],
    ['A "quiet" week', "A 'quiet' week"],
    ["他说：“没有风险。”", "他说：‘没有风险’"],
    ["Orchard 通过“费用开关”提案。", "Orchard 通过‘费用开关’提案"],
  ])("quote %s with its own quotation marks single, and no marks at its end", (headline, quoted) => {
    expect(quotable(headline)).toBe(quoted);
  });
});
