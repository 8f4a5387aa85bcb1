import { expect, it } from "vitest";
import { createTtlCache } from "../../src/runtime/cache/ttl-cache.ts";

interface Value {
  readonly n: number;
}

/** A cache whose loads end on demand, and whose time passes by hand. */
function open(ttl_ms: number) {
  const loads: { end: (value: Value | undefined) => void; fail: (error: Error) => void }[] = [];
  let now = 1;
  const cache = createTtlCache<Value>(
    ttl_ms,
    () => new Promise((resolve, reject) => void loads.push({ end: resolve, fail: reject })),
    () => now,
  );
  const pass = (ms: number): void => {
    now += ms;
  };
  return { cache, loads, pass };
}

it("loads once for callers that come at the same time, and remembers", async () => {
  const { cache, loads } = open(60_000);
  const both = Promise.all([cache.get("a"), cache.get("a")]);
  loads[0]!.end({ n: 1 });
  expect(await both).toEqual([{ n: 1 }, { n: 1 }]);
  expect(await cache.get("a")).toEqual({ n: 1 });
  expect(loads).toHaveLength(1);
});

it("lets callers go on in the order in which they came", async () => {
  const { cache, loads } = open(60_000);
  const order: number[] = [];
  const callers = [1, 2, 3].map((caller) => cache.get("a").then(() => order.push(caller)));
  loads[0]!.end({ n: 1 });
  await Promise.all(callers);
  expect(order).toEqual([1, 2, 3]);
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

it("forgets a value once it is as old as allowed, though no timer has run since it was looked at", async () => {
  const { cache, loads, pass } = open(1000);
  const first = cache.get("a");
  loads[0]!.end({ n: 1 });
  await first;
  pass(1000);
  // As after a stop of ten minutes: the first thing that runs is a request.
  const known = cache.get("a");
  expect(loads).toHaveLength(1);
  expect(await known).toEqual({ n: 1 });
  pass(600_000);
  void cache.get("a");
  expect(loads).toHaveLength(2);
});

it("counts a value's age from when it was asked for, not from when the answer came", async () => {
  const { cache, loads, pass } = open(1000);
  const slow = cache.get("a");
  pass(900);
  loads[0]!.end({ n: 1 });
  await slow;
  pass(101);
  void cache.get("a");
  expect(loads).toHaveLength(2);
});

it("does not share a load that began too long ago", async () => {
  const { cache, loads, pass } = open(1000);
  void cache.get("a");
  pass(1000);
  const late = cache.get("a");
  loads[1]!.end({ n: 2 });
  expect(await late).toEqual({ n: 2 });
  loads[0]!.end({ n: 1 });
  expect(await cache.get("a")).toEqual({ n: 2 });
});

it("looks again for what was absent when another caller asked", async () => {
  const { cache, loads } = open(60_000);
  const first = cache.get("a");
  const second = cache.get("a");
  loads[0]!.end(undefined);
  expect(await first).toBeUndefined();
  await expect.poll(() => loads.length).toBe(2);
  loads[1]!.end({ n: 2 });
  expect(await second).toEqual({ n: 2 });
});
