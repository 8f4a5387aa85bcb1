import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { staleWhileRevalidate } from "../../src/runtime/cache/stale-while-revalidate.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it("gives no older result because its making ended later", async () => {
  const made: ((result: string) => void)[] = [];
  const read = staleWhileRevalidate(() => new Promise<string>((resolve) => made.push(resolve)));
  const first = read("a");
  const second = read("b");
  made[1]!("B");
  expect(await second).toBe("B");
  made[0]!("A");
  expect(await first).toBe("A");
  const third = read("c");
  await vi.advanceTimersByTimeAsync(1000);
  expect(await third).toBe("B");
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
