import { describe, expect, test } from "vitest";
import {
  differenceOf,
  inOrder,
  overlapOf,
  type ReadText,
  type WeighedUnit,
} from "../../src/language/attention/difference.ts";
import { AttentionNetwork } from "../../src/language/attention/attention-network.ts";
import { RULES } from "../../src/news/topics/distinctions.ts";
import { unitsOf } from "../../src/language/attention/units.ts";
import { type NamedThing, NameTable } from "../../src/language/name-table.ts";

const KNOWN = new Set(["法院", "受理", "交付", "fall", "sue"]);
const isKnown = (word: string): boolean => KNOWN.has(word);
const keysOf = (text: string): string[] => unitsOf(text, isKnown).map(({ key }) => key);

function read(text: string): ReadText<WeighedUnit> {
  return {
    units: unitsOf(text, isKnown).map((unit) => ({ ...unit, rarity: isKnown(unit.key) ? 0.5 : 1 })),
    isChinese: /\p{Script=Han}/u.test(text),
  };
}

describe("units of a text", () => {
  test.each([
    ["BTC falls 5%", ["$BTC", "fall", "#5%"]],
    ["比特币 and bitcoin", ["$BTC", "and"]],
    ["临川法院受理恒业", ["临川", "法院", "受理", "恒业"]],
    ["Tarn ships v1.15.3", ["tarn", "ship", "#v1", "#15.3"]],
    ["十万 or 100k", ["#100000", "or"]],
    ["", []],
  ])("%s", (text, keys) => expect(keysOf(text)).toEqual(keys));

  test("do not have what follows a name", () => {
    const names = new NameTable<NamedThing>();
    names.add(["tron"], { key: "@coin:tron", kind: "coin", names: ["tron"] });
    const keys = unitsOf("TRON's suit and Tron’s sun", isKnown, names).map(({ key }) => key);
    expect(keys).toEqual(["@coin:tron", "suit", "and", "sun"]);
  });

  test("are those of its beginning", () => {
    const many = Array.from(
      { length: 3000 },
      (_, at) => `w${"abcdefghij"[at % 10]}${"abcdefghij"[Math.floor(at / 10) % 10]}`,
    );
    expect(keysOf(many.join(" "))).toHaveLength(48);
    expect(keysOf("字".repeat(100_000)).length).toBeLessThanOrEqual(48);
  });

  test("have the parts that their vectors are of", () => {
    expect(unitsOf("slumped 法院", isKnown).map(({ parts }) => parts)).toEqual([
      ["?", "{negative}", "{down}", "{drop}"],
      ["法院", ".法", ".院"],
    ]);
  });
});

describe("figures of two texts", () => {
  test.each([
    ["4.16万", "41,581", true], // By three digits.
    ["105k", "110k", true], // By two, which is the least.
    ["106k", "114k", false],
    ["4.16万", "41,699", false],
    ["25 bps", "0.25%", false],
    ["2020", "2024", false], // Years are exact.
    ["0.05%", "0.0502%", true],
    ["5%", "5.6%", false],
  ])("%s and %s: the same %s", (a, b, areSame) => {
    const { only } = differenceOf(read(a), read(b), []);
    expect(only.map(({ length }) => length)).toEqual(areSame ? [0, 0] : [1, 1]);
  });
});

describe("the difference of two texts", () => {
  const [a, b] = [read("Calder sues Northam over 33,951 units"), read("Northam sues Calder for 34,000 units")];
  const { only, measures } = differenceOf(a, b, [7]);

  test("is what one has and the other has not; a figure is the same in the digits of the coarser", () => {
    expect(only.map((units) => units.map(({ key }) => key))).toEqual([["over"], ["for"]]);
    const weightOf = (list: readonly { readonly rarity: number }[]) =>
      list.reduce((sum, { rarity }) => sum + rarity, 0);
    const [whole, other] = [weightOf(a.units), weightOf(b.units)];
    expect(overlapOf(a, b)).toBeCloseTo((whole - weightOf(only[0])) / Math.min(whole, other), 6);
    expect(overlapOf(read("Calder sues"), a)).toBe(1);
    expect(overlapOf(read("34,100 units"), read("33,951 units"))).toBeCloseTo(1 / 2);
  });

  test("comes with measures of what they share, and those of the caller", () => {
    expect(measures[0]).toBeCloseTo(5 / 8);
    expect(measures.at(-1)).toBe(7);
    expect(differenceOf(a, a, []).measures[5]).toBe(1);
  });

  test("has no part in what is empty", () => {
    const empty = read("");
    expect(differenceOf(empty, empty, []).measures.every((one) => Number.isFinite(one))).toBe(true);
    expect(overlapOf(empty, a)).toBe(0);
  });
});

test.each([
  [["a", "b", "c"], ["a", "b", "c"], 3],
  [["a", "b", "c"], ["c", "b", "a"], 1],
  [["a", "x", "c"], ["a", "c"], 2],
  [[], ["a"], 0],
])("keys in order: %j in %j", (keys, others, count) => expect(inOrder(keys, others)).toBe(count));

const NETWORK = new URL("../../src/news/topics/title-network.br", import.meta.url);
const ZERO: readonly number[] = new Array(RULES).fill(0);
const judge = (network: AttentionNetwork): number =>
  network.compare(network.read("Court rejects record fee"), network.read("Judge rejected the plan"), ZERO);

test("texts are read and compared alike, whatever was before: words of one stem are not of the same classes", () => {
  const used = new AttentionNetwork(NETWORK, RULES);
  used.read("rejection of plans, records and fees");
  const long = "Lenders of 7 towns sell gold, oil and 5% of bitcoin in May";
  used.compare(used.read(long), used.read("Tarn rises"), ZERO);
  expect(judge(used)).toBe(judge(new AttentionNetwork(NETWORK, RULES)));
});

test("texts are compared alike after more words than the memory has room for", () => {
  const network = new AttentionNetwork(NETWORK, RULES, undefined, 100);
  const [one, other] = [network.read("Court rejects record fee"), network.read("Judge rejected the plan")];
  const before = network.compare(one, other, ZERO);
  const letters = (number: number): string => String(number).replace(/\d/g, (digit) => "abcdefghij"[Number(digit)]!);
  for (let text = 0; text < 20; text++) {
    const words = Array.from({ length: 40 }, (_, at) => `q${letters(text * 40 + at)}z`).join(" ");
    network.compare(network.read(words), one, ZERO);
  }
  expect(network.compare(one, other, ZERO)).toBe(before);
});
