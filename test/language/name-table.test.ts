import { describe, expect, it } from "vitest";
import { NameTable } from "../../src/language/name-table.ts";

const TABLE = new NameTable<string>();
TABLE.add(["new york", "纽约"], "city");
TABLE.add(["new york stock exchange", "纽约证券交易所"], "exchange");
TABLE.add(["york"], "old city");
TABLE.add(["arm"], "chips");
TABLE.add(["汤姆克鲁斯"], "actor");
TABLE.add(["base链", "日经225"], "mixed");
TABLE.add(["cut", "下调"], "lower");
TABLE.add(["cut", "砍"], "fewer");
const namedIn = (text: string) =>
  Array.from(TABLE.find(text), ({ thing, start, end }) => `${thing}: ${text.slice(start, end)}`);

describe("names in a text", () => {
  it.each([
    ["fire near new york", ["city: new york"]],
    ["new york stock exchange halts, york does not", ["exchange: new york stock exchange", "old city: york"]],
    ["new-york's mayor", ["city: new-york"]],
    ["a new bank. york waits", ["old city: york"]],
    ["纽约证券交易所与纽约", ["exchange: 纽约证券交易所", "city: 纽约"]],
    ["arm对纽约说", ["chips: arm", "city: 纽约"]],
    ["汤姆·克鲁斯与汤姆克鲁斯", ["actor: 汤姆·克鲁斯", "actor: 汤姆克鲁斯"]],
    ["充到base链，看日经225", ["mixed: base链", "mixed: 日经225"]],
  ])("are the longest at each place: %s", (text, names) => {
    expect(namedIn(text)).toEqual(names);
  });

  it("are whole words", () => {
    expect(namedIn("charm, army and newyork, xbase链")).toEqual([]);
  });

  it("do not go on over what lies between: a sentence's end, or Chinese", () => {
    expect(namedIn("new ... york")).toEqual(["old city: york"]);
    expect(namedIn("汤姆，克鲁斯")).toEqual([]);
    expect(namedIn("new纽约york")).toEqual(["city: 纽约", "old city: york"]);
  });

  it("may be of several things", () => {
    expect(namedIn("prices cut")).toEqual(["lower: cut", "fewer: cut"]);
  });
});
