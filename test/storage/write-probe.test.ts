import { afterEach, expect, it, vi } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { StorageError } from "../../src/storage/storage.ts";
import { createWriteProbe } from "../../src/storage/health/last-use.ts";
import { watchedStorage, type Outcome } from "../support/watched-storage.ts";

afterEach(() => {
  vi.useRealTimers();
});

async function probed(decide: () => Outcome | Promise<Outcome> = () => "pass") {
  const storage = watchedStorage(await openStorage("memory:"), (call) => (call.verb === "put" ? decide() : "pass"));
  const writes = (): number => storage.calls.filter(({ verb }) => verb === "put").length;
  return { probe: createWriteProbe(storage), writes };
}

it("is not ready while the storage can be read but not written, and ready again by itself", async () => {
  vi.useFakeTimers();
  let outcome: Outcome = "fail";
  const { probe } = await probed(() => outcome);
  await expect(probe.recent()).rejects.toThrow(StorageError);
  outcome = "pass";
  await expect(probe.recent()).rejects.toThrow(StorageError);
  await vi.advanceTimersByTimeAsync(1000);
  await probe.recent();
});

it("writes at most once a second, however many ask", async () => {
  vi.useFakeTimers();
  const { probe, writes } = await probed();
  await Promise.all(Array.from({ length: 50 }, () => probe.recent()));
  await probe.recent();
  expect(writes()).toBe(1);
  await vi.advanceTimersByTimeAsync(1000);
  await probe.recent();
  expect(writes()).toBe(2);
});

it("does not wait for a disk that does not answer", async () => {
  vi.useFakeTimers();
  const { probe } = await probed(() => new Promise(() => undefined));
  const refused = expect(probe.run()).rejects.toThrow("did not take a write within 3 s");
  await vi.advanceTimersByTimeAsync(3000);
  await refused;
});
