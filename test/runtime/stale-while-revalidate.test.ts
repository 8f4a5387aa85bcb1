import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { staleWhileRevalidate } from "../../src/runtime/cache/stale-while-revalidate.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it("gives the result before while the new one takes long, and when it fails, and then makes it again", async () => {
  const made: { resolve(result: string): void; reject(error: Error): void }[] = [];
  const read = staleWhileRevalidate(() => new Promise<string>((resolve, reject) => made.push({ resolve, reject })));
  const first = read("a");
  made[0]!.resolve("A");
  expect(await first).toBe("A");
  const late = read("b");
  await vi.advanceTimersByTimeAsync(1000);
  expect(await late).toBe("A");
  made[1]!.reject(new Error("not now"));
  expect(await read("b")).toBe("A");
  const again = read("b");
  expect(made).toHaveLength(3);
  made[2]!.resolve("B");
  expect(await again).toBe("B");
  expect(await read("b")).toBe("B");
  expect(made).toHaveLength(3);
});
