import { EventEmitter } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { awaitInterrupt } from "../../src/runtime/interrupt.ts";

let signals: EventEmitter;
let codes: number[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  signals = new EventEmitter();
  codes = [];
});
afterEach(() => {
  vi.useRealTimers();
});

const exit = (code: number): void => void codes.push(code);

it.for([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "requests an end at the first signal, and ends as %s does if that is the second",
  async ([second, code]) => {
    let flush: () => void;
    const flushed = new Promise<void>((resolve) => (flush = resolve));
    const { signal, forget } = awaitInterrupt({ signals, exit }, () => flushed);
    signals.emit("SIGTERM", "SIGTERM");
    expect([signal.aborted, (signal.reason as Error).message]).toEqual([true, "SIGTERM"]);
    vi.advanceTimersByTime(1000);
    signals.emit(second, second);
    await setImmediate();
    expect(codes).toEqual([]);
    flush!();
    await setImmediate();
    expect(codes).toEqual([code]);
    forget();
    expect([signals.listenerCount("SIGINT"), signals.listenerCount("SIGTERM")]).toEqual([0, 0]);
  },
);

it("takes the same signal for one that npm has sent on if it comes again at once, and another one for a second", async () => {
  awaitInterrupt({ signals, exit });
  signals.emit("SIGINT", "SIGINT");
  vi.advanceTimersByTime(400);
  signals.emit("SIGINT", "SIGINT");
  await setImmediate();
  expect(codes).toEqual([]);
  signals.emit("SIGTERM", "SIGTERM");
  await setImmediate();
  expect(codes).toEqual([143]);
});

it("takes SIGHUP for a request to end where it is told to, and never for a second signal", async () => {
  awaitInterrupt({ signals, exit });
  expect(signals.listenerCount("SIGHUP")).toBe(0); // A command ends at once, as Node does by itself.
  signals.removeAllListeners();

  const { signal, forget } = awaitInterrupt({ signals, exit }, undefined, true);
  signals.emit("SIGHUP", "SIGHUP");
  expect([signal.aborted, (signal.reason as Error).message]).toEqual([true, "SIGHUP"]);
  signals.emit("SIGTERM", "SIGTERM"); // Sent together with it.
  vi.advanceTimersByTime(1000);
  signals.emit("SIGHUP", "SIGHUP");
  await setImmediate();
  expect(codes).toEqual([]);
  signals.emit("SIGTERM", "SIGTERM");
  await setImmediate();
  expect(codes).toEqual([143]);
  forget();
  expect(signals.listenerCount("SIGHUP")).toBe(0);
});
