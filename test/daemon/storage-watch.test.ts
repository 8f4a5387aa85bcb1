import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { StorageWatch } from "../../src/daemon/storage-watch.ts";
import { StorageError, StorageReplacedError } from "../../src/storage/storage.ts";

let lost: boolean;
let reason: string;
let replaced: StorageReplacedError[];
let told: string[];
let states: (boolean | number)[];
let watch: StorageWatch;

const tell = (_fields: object, message: string): void => {
  told.push(message);
};

function fail(): void {
  watch.failed(new StorageError(reason));
}

beforeEach(() => {
  vi.useFakeTimers();
  lost = false;
  reason = "no answer";
  replaced = [];
  told = [];
  states = [];
  watch = new StorageWatch({
    logger: { debug: tell, info: tell, warn: tell, error: tell },
    probe() {
      if (lost) fail();
      return lost ? Promise.reject(new StorageError(reason)) : Promise.resolve();
    },
    findLost: () => Promise.resolve({ lost: replaced, parts: 3 }),
    onChange: (up) => states.push(up),
    onLostParts: (count) => states.push(count),
  });
});

afterEach(async () => {
  lost = false;
  await watch.stop();
  vi.useRealTimers();
});

it("reports a short loss and its end at once", async () => {
  await vi.advanceTimersByTimeAsync(1000);
  states = [];
  lost = true;
  fail();
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(["the storage is lost"]);
  lost = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect(told).toEqual(["the storage is lost", "the storage is back"]);
  expect(states.filter((one) => typeof one === "boolean")).toEqual([false, true]);
});

it("calls a storage full whose disk is", async () => {
  reason = "Cannot write ready/probe: ENOSPC: no space left on device, write";
  lost = true;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(told.slice(0, 2)).toEqual(["the storage is full", "the storage is still full"]);
});

it("finds by itself that the storage takes no writes any more", async () => {
  lost = true;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(told).toEqual(["the storage is lost"]);
});

it("reports calls that fail while the storage works, and no loss: the error names their key", async () => {
  for (let s = 0; s < 10; s += 0.25) {
    fail();
    await vi.advanceTimersByTimeAsync(250);
  }
  expect(new Set(told)).toEqual(new Set(["storage calls failed, though the storage works"]));
  expect(told.length).toBeLessThanOrEqual(3);
  expect(states).not.toContain(false);
});

it("reports the parts that are lost while others are there, and their return, once", async () => {
  replaced = [new StorageReplacedError("one is gone")];
  await vi.advanceTimersByTimeAsync(5000);
  expect(told).toEqual(["one is gone"]);
  expect(states.at(-1)).toBe(1);
  replaced = [];
  await vi.advanceTimersByTimeAsync(2000);
  expect(told).toEqual(["one is gone", "resolved: one is gone"]);
  expect(states.at(-1)).toBe(0);
  expect(states).not.toContain(false);
});

it("takes a storage whose parts are all lost for lost", async () => {
  lost = true;
  replaced = ["a", "b", "c"].map((name) => new StorageReplacedError(name));
  await vi.advanceTimersByTimeAsync(1000);
  expect(told).toEqual(["the storage is lost"]);
  expect(states).toEqual([false]);
});

it("reports before the daemon stops that the storage is back", async () => {
  await vi.advanceTimersByTimeAsync(1000);
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
  await vi.advanceTimersByTimeAsync(1000);
  lost = true;
  fail();
  await vi.advanceTimersByTimeAsync(0);
  await watch.stop();
  expect(told).toEqual(["the storage is lost"]);
});

it("sums up a storage that is lost and back in turn", async () => {
  for (let s = 0; s < 60; s += 0.25) {
    lost = Math.floor(s) % 2 === 0;
    fail();
    await vi.advanceTimersByTimeAsync(250);
  }
  expect(told.filter((one) => one === "the storage is lost").length, told.join("\n")).toBeLessThanOrEqual(14);
});
