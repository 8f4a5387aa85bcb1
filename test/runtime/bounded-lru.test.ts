import { expect, it } from "vitest";
import { BoundedLru } from "../../src/runtime/cache/bounded-lru.ts";

it("keeps the entries that were used last", () => {
  const cache = new BoundedLru<number>(3);
  for (let n = 0; n < 3; n++) cache.set(`${n}`, n);
  expect(cache.get("0")).toBe(0);
  cache.set("3", 3);
  expect([...cache.keys()].toSorted()).toEqual(["0", "2", "3"]);
  cache.delete("2");
  for (let n = 4; n < 100; n++) cache.set(`${n}`, n);
  expect([...cache.values()].toSorted()).toEqual([97, 98, 99]);
});
