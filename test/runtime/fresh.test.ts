import { expect, it } from "vitest";
import { createFreshCache } from "../../src/runtime/fresh.ts";

interface Value {
  readonly n: number;
}

/** A cache whose loads end when they are told to. */
function open(ttl_ms: number) {
  const loads: { end: (value: Value | undefined) => void; fail: (error: Error) => void }[] = [];
  const cache = createFreshCache<Value>(
    ttl_ms,
    () => new Promise((resolve, reject) => void loads.push({ end: resolve, fail: reject })),
  );
  return { cache, loads };
}

it("loads once for callers that come at the same time, and remembers", async () => {
  const { cache, loads } = open(60_000);
  const both = Promise.all([cache.get("a"), cache.get("a")]);
  loads[0]!.end({ n: 1 });
  expect(await both).toEqual([{ n: 1 }, { n: 1 }]);
  expect(await cache.get("a")).toEqual({ n: 1 });
  expect(loads).toHaveLength(1);
});

it.each(["forget", "clear"] as const)("does not remember what was read before %s", async (how) => {
  const { cache, loads } = open(60_000);
  const before = cache.get("a");
  cache[how]("a");
  const after = cache.get("a");
  loads[1]!.end({ n: 2 });
  expect(await after).toEqual({ n: 2 });
  loads[0]!.end({ n: 1 });
  expect(await before).toEqual({ n: 1 });
  expect(await cache.get("a")).toEqual({ n: 2 });
});

it("remembers neither a failure nor what is absent", async () => {
  const { cache, loads } = open(60_000);
  const failing = cache.get("a");
  loads[0]!.fail(new Error("gone"));
  await expect(failing).rejects.toThrow("gone");
  const absent = cache.get("a");
  loads[1]!.end(undefined);
  expect(await absent).toBeUndefined();
  const found = cache.get("a");
  loads[2]!.end({ n: 3 });
  expect(await found).toEqual({ n: 3 });
});

it("remembers and shares nothing at 0 ms", async () => {
  const { cache, loads } = open(0);
  const both = Promise.all([cache.get("a"), cache.get("a")]);
  loads[0]!.end({ n: 1 });
  loads[1]!.end({ n: 2 });
  expect(await both).toEqual([{ n: 1 }, { n: 2 }]);
});
