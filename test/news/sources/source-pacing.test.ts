import { expect, test } from "vitest";
import { SourceError } from "../../../src/news/sources/source-error.ts";
import { createSourcePacing, type SourcePacing } from "../../../src/news/sources/source-pacing.ts";
import { fixedClock } from "../../../src/runtime/clock.ts";
import { seededRandom } from "../../../src/runtime/random.ts";

const MINUTE = 60_000;
const FEED = "https://a.example/feed";

/** How long a source is paused, to the second. */
function pauseOf(pacing: SourcePacing, clock: ReturnType<typeof fixedClock>, location = FEED): number {
  const from = clock.now();
  let pause = 0;
  while (pacing.isPaused(location) && pause < 100_000_000) clock.set(from + (pause += 1000));
  clock.set(from);
  return pause;
}

test("asks a failing source ever less often, at a time of its own, and at once after a success", () => {
  const clock = fixedClock(0);
  const pacing = createSourcePacing(clock, seededRandom("x"));
  const error = new SourceError("timeout", "x");
  const pauses = Array.from({ length: 12 }, () => {
    pacing.failed(FEED, error);
    return pauseOf(pacing, clock);
  });
  expect(pauses[0]).toBe(0);
  for (const [index, pause] of pauses.slice(1).entries()) {
    const longest = Math.min(60 * MINUTE, MINUTE * 2 ** index);
    expect(pause).toBeGreaterThanOrEqual(longest / 2);
    expect(pause).toBeLessThanOrEqual(longest + 1000);
  }
  for (let n = 0; n < 12; n++) pacing.failed("https://b.example/", error);
  expect(pauseOf(pacing, clock, "https://b.example/")).not.toBe(pauses.at(-1));
  pacing.succeeded(FEED);
  expect(pacing.isPaused(FEED)).toBe(false);
});

test("obeys what a server asks for, for a day at most, and never asks one that is gone", () => {
  const clock = fixedClock(0);
  const pacing = createSourcePacing(clock, seededRandom("x"));
  const asking = (retry_after_ms: number): SourceError =>
    Object.assign(new SourceError("status", "x"), { retry_after_ms });
  pacing.failed(FEED, asking(120_000));
  expect(pauseOf(pacing, clock)).toBe(120_000);
  pacing.succeeded(FEED);
  pacing.failed(FEED, asking(1e12));
  expect(pauseOf(pacing, clock)).toBe(86_400_000);
  pacing.failed(FEED, new SourceError("gone", "x"));
  clock.set(Number.MAX_SAFE_INTEGER);
  expect(pacing.isPaused(FEED)).toBe(true);
});
