import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encode, knownOf, openEncoder } from "../../src/assistant/encoder/encoder.ts";
import { searchTerms } from "../../src/assistant/retrieval/language-index.ts";
import { fold, stem } from "../../src/language/tokenize.ts";
import { product } from "../../src/runtime/product.ts";
import { parseRows } from "../../src/runtime/text/data-rows.ts";

const SOURCES = join(import.meta.dirname, "../../src");
const about = (text: string) => encode([searchTerms(text), 1]);
const alike = (a: string, b: string): number => product(about(a), about(b));

describe("what a text is about", () => {
  it.each([
    ["what if you guys go bust", "Insolvency and safeguarding", "Opening hours of branches"],
    ["my kid swiped my phone and spent money", "未经授权的付款", "贷款利率"],
    ["手机丢了上不去", "Lost phone: logging in again", "Interest on savings"],
  ])("is for %j more like %j than %j", (question, like, unlike) => {
    expect(alike(question, like)).toBeGreaterThan(alike(question, unlike) + 0.15);
  });

  it("has length 1, whatever the weights of its parts, and the direction of the heavier", () => {
    const both = encode([searchTerms("card"), 5], [searchTerms("router"), 1]);
    expect(product(both, both)).toBeCloseTo(1);
    expect(product(both, about("card"))).toBeGreaterThan(product(both, about("router")));
  });

  it("is nothing where no term is known", () => {
    expect(Array.from(about("qqzxv"))).toEqual(Array.from({ length: 100 }, () => 0));
    expect(knownOf(searchTerms("qqzxv card"))).toBe(0.5);
  });

  it("is not known of a word that nothing about services has, though it has a vector", () => {
    expect(openEncoder().has("panther")).toBe(true);
    expect(knownOf(searchTerms("panther card"))).toBe(0.5);
  });
});

it("knows each term of the rows that it learned from, and how rare it is among them", () => {
  const folder = join(SOURCES, "assistant/encoder/rows");
  const files = [
    ...["thesaurus.txt", "situations.txt"].map((file) => join(SOURCES, "language/data", file)),
    ...readdirSync(folder).map((file) => join(folder, file)),
  ];
  const rows = files
    .flatMap((file) => parseRows(fold(readFileSync(file, "utf8"))))
    .map((row) => row.flat())
    .filter(({ length }) => length > 1);
  const termsOf = (row: readonly string[]) => new Set(row.flatMap((text) => searchTerms(text.replaceAll("_", " "))));
  const ofNone = Math.log(1 + rows.length);
  for (const term of ["card", "密码", stem("withdrawal"), stem("app")]) {
    const having = rows.filter((row) => row.some((text) => text.includes(term)) && termsOf(row).has(term)).length;
    expect(openEncoder().rarityOf(term)).toBeCloseTo(Math.log(1 + rows.length / (1 + having)) / ofNone, 2);
  }
  expect(openEncoder().rarityOf(stem("quokka"))).toBe(1);
  // Pairs of Chinese characters only if two rows have them. Reading every row would take three times as long.
  const having = new Map<string, number>();
  for (const row of rows.filter((_, at) => at % 4 === 0)) {
    for (const term of termsOf(row)) having.set(term, (having.get(term) ?? 0) + 1);
  }
  const learned = [...having].filter(([term, count]) => count > 1 || !/^\p{Script=Han}{2}/u.test(term));
  expect(knownOf(learned.map(([term]) => term))).toBe(1);
});
