import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { StorageWatch } from "../../src/daemon/storage-watch.ts";
import { StorageError } from "../../src/storage/storage-errors.ts";

let lost: boolean;
let told: string[];
let watch: StorageWatch;

const tell = (_fields: object, message: string): void => {
  told.push(message);
};

function fail(): void {
  watch.failed(new StorageError("no answer"));
}

beforeEach(() => {
  vi.useFakeTimers();
  lost = false;
  told = [];
  watch = new StorageWatch({
    logger: { debug: tell, info: tell, warn: tell, error: tell },
    probe() {
      if (lost) fail();
      return lost ? Promise.reject(new StorageError("no answer")) : Promise.resolve();
    },
  });
});

afterEach(() => {
  vi.useRealTimers();
});

it("tells a short loss and its end at once", async () => {
  fail();
  await vi.advanceTimersByTimeAsync(1000);
  expect(told).toEqual(["the storage is lost", "the storage is back"]);
});

it("tells before the daemon stops that the storage is back", async () => {
  lost = true;
  fail();
  await vi.advanceTimersByTimeAsync(500);
  lost = false;
  await watch.stop();
  expect(told).toEqual(["the storage is lost", "the storage is back"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toHaveLength(2);
});

it("says nothing of a storage that is still lost when the daemon stops, nor of one that never was", async () => {
  await watch.stop();
  expect(told).toEqual([]);
  lost = true;
  fail();
  await watch.stop();
  expect(told).toEqual(["the storage is lost"]);
});

it("sums up a storage of which some places fail on while others answer", async () => {
  for (let s = 0; s < 60; s += 0.25) {
    fail();
    await vi.advanceTimersByTimeAsync(250);
  }
  expect(told[0]).toBe("the storage is lost");
  expect(told.length, told.join("\n")).toBeLessThanOrEqual(14);
});
