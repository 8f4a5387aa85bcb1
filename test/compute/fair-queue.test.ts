import { describe, expect, test } from "vitest";
import { createFairQueue } from "../../src/compute/fair-queue.ts";

const MANY = 120_000; // Minutes of work if each call cost time in proportion to the queue, else a fraction of a second.

function queueOf(...items: readonly (readonly [item: number, caller?: string])[]) {
  const queue = createFairQueue<number>();
  for (const [item, caller] of items) queue.push(item, caller);
  const rest = () => Array.from({ length: queue.size() }, () => queue.shift());
  return { queue, rest };
}

describe("a fair queue", () => {
  test("takes the oldest item of each caller in turn, and the service's own every other time", () => {
    const { queue, rest } = queueOf([1, "a"], [2, "a"], [3, "a"], [4, "b"], [5], [6], [7, "c"]);
    expect(queue.size()).toBe(7);
    expect(rest()).toEqual([5, 1, 6, 4, 7, 2, 3]);
    expect(queue.shift()).toBeUndefined();
  });

  test("gives a caller whose items ran out the last turn when it comes back", () => {
    const { queue, rest } = queueOf([1, "a"], [2, "b"], [3, "b"]);
    expect(queue.shift()).toBe(1);
    queue.push(4, "a");
    expect(rest()).toEqual([2, 4, 3]);
  });

  test("removes an item that waits, and ignores one that was taken", () => {
    const { queue, rest } = queueOf([1, "a"], [2, "a"], [3, "b"], [4]);
    expect(queue.shift()).toBe(4);
    for (const [item, caller] of [[4], [3, "b"], [1, "a"], [1, "b"]] as const) queue.remove(item, caller);
    expect(queue.size()).toBe(1);
    expect(rest()).toEqual([2]);
  });

  test("returns all items when it is cleared, and can be used again", () => {
    const { queue, rest } = queueOf([1, "a"], [2, "b"], [3, "a"], [4]);
    expect(queue.clear().toSorted()).toEqual([1, 2, 3, 4]);
    expect(queue.size()).toBe(0);
    queue.push(5, "a");
    expect(rest()).toEqual([5]);
  });

  test.each([
    ["one caller", () => "a"],
    ["many callers", (item: number) => `a${item % (MANY / 2)}`],
    ["the service", () => undefined],
  ])("takes and removes many items of %s in time that grows with their number alone", (_, callerOf) => {
    const queue = createFairQueue<number>();
    for (let item = 0; item < MANY; item++) queue.push(item, callerOf(item));
    for (let item = 0; item < MANY / 3; item++) queue.remove(item, callerOf(item));
    let taken = 0;
    while (queue.shift() !== undefined) taken++;
    expect(taken).toBe((MANY / 3) * 2);
  });
});
