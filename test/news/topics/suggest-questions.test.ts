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
      "How did the attack on Tidepool happen?",
      "How much was lost in the Tidepool attack?",
      "What is being done to make up for the losses at Tidepool?",
    ]);
  });

  test("name its subject and its event, in Chinese", () => {
    expect(suggestQuestions(ATTACK[1]!.title, ATTACK, "zh")).toEqual([
      "Tidepool 是怎么遭到攻击的？",
      "Tidepool 攻击事件造成了多少损失？",
      "Tidepool 的损失如何追回或赔付？",
    ]);
  });

  test("ask only what the items answer", () => {
    const untold = [item("Hackers attack the Tidepool bridge"), item("Attack hits Tidepool")];
    expect(suggestQuestions(untold[0]!.title, untold, "en").join()).not.toMatch(/How much|made? up/);
  });

  test("call an asset as the items do", () => {
    const rise = [item("比特币突破 10.5 万美元", "分析师看好。"), item("比特币站上 10.5 万美元")];
    expect(suggestQuestions(rise[0]!.title, rise, "zh")[0]).toBe("比特币为什么上涨？");
    expect(suggestQuestions("Bitcoin clears $105,000", rise, "en")[0]).toBe("Why is Bitcoin rising?");
  });

  test("ask about the headline where no kind of event fits", () => {
    const odd = [item("A quiet week for markets"), item("Markets have a quiet week")];
    expect(suggestQuestions(odd[0]!.title, odd, "en")).toEqual([
      'What is the story behind "A quiet week for markets"?',
      'What is known so far about "A quiet week for markets"?',
    ]);
    expect(suggestQuestions("市场平静的一周。", odd, "zh")).toEqual([
      "“市场平静的一周”是怎么回事？",
      "关于“市场平静的一周”，目前有哪些信息？",
    ]);
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
