import { describe, expect, it } from "vitest";
import { namedIn, namesIn } from "../../src/language/name-table.ts";

describe("what a question names", () => {
  it.each([
    ["How many ringgit for ADA?", ["ringgit", "cardano"]],
    ["可以用支付宝吗", ["alipay"]],
    ["is there a pay as you go tariff", ["prepaid plan"]],
    ["转到马来西亚要多久", ["malaysia"]],
    ["怎么从base链提币到b站", ["base chain", "b站"]],
  ])("is found in either language, with its other names: %s", (question, names) => {
    const found = namedIn(question);
    expect(found).toHaveLength(names.length);
    for (const [at, name] of names.entries()) expect(found[at]).toContain(name);
  });

  it("is nothing where none is named, and no part of a word", () => {
    expect(namedIn("how long does it take")).toEqual([]);
    expect(namesIn("Polandia is no country")(["poland"])).toBe(false);
    expect(namesIn("A card from Poland.")(["poland"])).toBe(true);
    expect(namesIn("波兰的卡")(["poland", "波兰"])).toBe(true);
  });
});
