import { describe, expect, test } from "vitest";
import { areSwapped, deedsOf } from "../../../src/news/topics/distinctions.ts";
import { fold } from "../../../src/language/tokenize.ts";

const swapped = (a: string, b: string): boolean => areSwapped(deedsOf(fold(a)), deedsOf(fold(b)));

describe("a deed of the same two the other way round", () => {
  test.each([
    ["Zenlight sues Corvia over battery secrets", "Corvia sues Zenlight over battery secrets"],
    ["Zenlight sues Corvia over battery secrets", "Zenlight sued by Corvia over battery secrets"],
    ["Northam to buy rival Calder", "Calder completes acquisition of Northam"],
    ["Takeover of Northam by Calder", "Northam takes over Calder"],
    ["Marlow beats Tarrant to reach final", "Marlow defeated by Tarrant in final"],
    ["蓝桥汽车起诉驰风科技", "驰风科技起诉蓝桥汽车"],
    ["蓝桥汽车起诉驰风科技", "蓝桥汽车遭驰风科技起诉"],
    ["Kraken起诉Nortide", "Nortide files suit against Kraken"],
  ])("%s / %s", (a, b) => {
    expect(swapped(a, b)).toBe(true);
    expect(swapped(b, a)).toBe(true);
  });
});

describe("the same deed in other words", () => {
  test.each([
    ["Zenlight sues Corvia over battery secrets", "Corvia sued by Zenlight over battery secrets"],
    ["Experian fined in Netherlands", "Dutch watchdog fines Experian"],
    ["Northam to buy rival Calder", "Calder agrees to be acquired by Northam"],
    ["Takeover of Northam by Calder", "Calder takes over Northam"],
    ["Marlow beats Tarrant", "Tarrant loses to Marlow"],
    ["蓝桥汽车起诉驰风科技", "驰风科技被蓝桥汽车起诉"],
    ["法国对希音罚款1.5亿欧元", "希音遭法国罚款"],
    ["Zenlight sues Corvia", "Corvia praises Zenlight"], // Another deed.
    ["Zenlight sues Corvia", "Corvia sues Tarrant"], // Of others.
    ["Zenlight", ""],
  ])("%s / %s", (a, b) => {
    expect(swapped(a, b)).toBe(false);
    expect(swapped(b, a)).toBe(false);
  });
});
