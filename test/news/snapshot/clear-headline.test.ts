import fc from "fast-check";
import { expect, test } from "vitest";
import { detectLanguage } from "../../../src/language/detect-language.ts";
import type { NewsItem } from "../../../src/news/snapshot/projection.ts";
import { clearestHeadline } from "../../../src/news/snapshot/topic-views.ts";
import { CODE_POINT } from "../../support/code-points.ts";

const CLEAR = { en: "Tidepool bridge loses $87 million to an attacker", zh: "Tidepool 跨链桥遭攻击，损失 8700 万美元" };

function item(title: string): NewsItem {
  const shown = { id: title, title, summary: "", url: "", source: "Wire", lang: detectLanguage(title) };
  return { ...shown, published_at: "2026-11-20T12:00:00.000Z", symbols: [], sentiment: "neutral" };
}

test.each([
  "Tidepool bridge loses $87 million to an attacker as…",
  "Tidepool bridge loses $87 million to an attacker in the",
  "You won't believe how much Tidepool just lost",
  "Is Tidepool's bridge still safe after the attack?",
  "TIDEPOOL BRIDGE LOSES $87 MILLION TO AN ATTACKER",
  "Morning brief: Tidepool loses $87 million, bitcoin holds",
  "Tidepool 跨链桥遭攻击，损失 8700 万美元...",
  "震惊！Tidepool 跨链桥一夜被盗 8700 万美元",
  "Tidepool 跨链桥还安全吗？",
  "晚报：Tidepool 跨链桥遭攻击，比特币站稳十万美元",
])("a topic is not titled “%s” where it has a clearer headline", (title) => {
  const clear = item(CLEAR[detectLanguage(title)]);
  expect(clearestHeadline([item(title), clear])).toBe(clear);
  expect(clearestHeadline([item(title)]).title).toBe(title);
});

test("of headlines as clear, the most central one titles the topic", () => {
  const items = [CLEAR.en, "Attacker drains $87 million from the Tidepool bridge", CLEAR.zh].map(item);
  expect(clearestHeadline(items)).toBe(items[0]);
  expect(clearestHeadline(items.toReversed())).toBe(items[2]);
});

test("whatever the headlines, one of them is chosen", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: CODE_POINT }), { minLength: 1, maxLength: 40 }), (titles) => {
      expect(titles).toContain(clearestHeadline(titles.map(item)).title);
    }),
  );
});
