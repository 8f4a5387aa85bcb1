import { expect, it } from "vitest";
import { scriptOfTag } from "../../src/language/detect-language.ts";
import { toTraditional } from "../../src/language/to-traditional.ts";
import { isTraditional, toSimplified } from "../../src/language/traditional.ts";

it.each([
  ["后台里的头发发出干净的回复", "後臺裡的頭髮發出乾淨的回覆", "後台裏的頭髮發出乾淨的回覆"],
  ["BTC 提现要多久？", "BTC 提現要多久？", "BTC 提現要多久？"],
  [
    "见 https://x.example/a?q=1 后台\n后台",
    "見 https://x.example/a?q=1 後臺\n後臺",
    "見 https://x.example/a?q=1 後台\n後台",
  ],
  ["皇后後來到了", "皇后後來到了", "皇后後來到了"],
  ["3天后或几天后退回天后宫", "3天後或幾天後退回天后宮", "3天後或幾天後退回天后宮"],
  ["请先尝试用它，总发售量已经上链", "請先嘗試用它，總發售量已經上鏈", "請先嘗試用它，總發售量已經上鏈"],
  ["no Chinese", "no Chinese", "no Chinese"],
])("writes %j in the characters of Taiwan and of Hong Kong", (simplified, tw, hk) => {
  expect([toTraditional(simplified, "tw"), toTraditional(simplified, "hk")]).toEqual([tw, hk]);
});

it.each([
  ["zh-TW", "tw"],
  ["zh-Hant", "tw"],
  ["zh_Hant_TW", "tw"],
  ["zh-HK", "hk"],
  ["zh-Hant-HK", "hk"],
  ["yue-MO", "hk"],
  ["zh", undefined],
  ["zh-Hans-TW", undefined],
  ["zh-TWX", undefined],
  ["en-HK", undefined],
])("takes %s for the script %s", (tag, script) => {
  expect(scriptOfTag(tag)).toBe(script);
});

it.each([
  ["提幣要多久", true],
  ["提币要多久", false],
  ["著名交易所的乾坤", false],
  ["How long?", false],
])("%s: Traditional is %s", (text, is) => {
  expect(isTraditional(text)).toBe(is);
});

it.each(["tw", "hk"] as const)("is understood as what it was written from, in every character (%s)", (script) => {
  const decoder = new TextDecoder("gb2312");
  const common = Array.from({ length: 72 * 94 }, (_, at) =>
    decoder.decode(Uint8Array.of(0xb0 + Math.floor(at / 94), 0xa1 + (at % 94))),
  );
  const isLost = (one: string): boolean => {
    const written = toTraditional(one, script);
    const read = toSimplified(written);
    return read !== toSimplified(one) && toTraditional(read, script) !== written; // Else both are written the same.
  };
  const rare = "帐渖迳幺钜雠鲶"; // What is written for them stands for a more frequent one, too.
  expect(common.filter((one) => isLost(one) && !rare.includes(one)).join("")).toBe("");
});
