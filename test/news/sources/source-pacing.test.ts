import { expect, test } from "vitest";
import { SourceError, type SourceFailure } from "../../../src/news/sources/source-error.ts";
import {
  createSourcePacing,
  isDisabled,
  NO_FAILURE,
  type SourcePacing,
} from "../../../src/news/sources/source-pacing.ts";
import { fixedClock } from "../../../src/runtime/clock.ts";
import { seededRandom } from "../../../src/runtime/random.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

/** A source of a process: its state as a snapshot keeps it. */
function createSource(pacing: SourcePacing, clock: ReturnType<typeof fixedClock>, url = "https://a.example/feed") {
  let state: Parameters<SourcePacing["isPaused"]>[1] = {};
  return {
    fails: (error: SourceError) => void (state = pacing.failed(url, state, error)),
    succeeds: () => void (state = NO_FAILURE),
    /** How long it is paused, to the second; `by` another process: as that one knows it. */
    pause(by = pacing): number {
      const from = clock.now();
      let pause = 0;
      while (by.isPaused(url, state)) clock.set(from + (pause += 1000));
      clock.set(from);
      return pause;
    },
    isDisabled: () => isDisabled(state),
  };
}

const failure = (name: SourceFailure, more = {}) => Object.assign(new SourceError(name, "x"), more);

test("asks a failing source ever less often, at a time of its own, and at once after a success", () => {
  const clock = fixedClock(0);
  const pacing = createSourcePacing(clock, seededRandom("x"));
  const source = createSource(pacing, clock);
  const pausesOf = (of: typeof source) =>
    Array.from({ length: 12 }, () => {
      of.fails(failure("timeout"));
      return of.pause();
    });
  const pauses = pausesOf(source);
  expect(pauses[0]).toBe(0);
  for (const [index, pause] of pauses.slice(1).entries()) {
    const longest = Math.min(60 * MINUTE, MINUTE * 2 ** index);
    expect(pause).toBeGreaterThanOrEqual(longest / 2);
    expect(pause).toBeLessThanOrEqual(longest + 1000);
  }
  expect(pausesOf(createSource(pacing, clock, "https://b.example/")).at(-1)).not.toBe(pauses.at(-1));
  source.succeeds();
  expect(source.pause()).toBe(0);
});

test("obeys what a server asks for, for a day at most", () => {
  const clock = fixedClock(0);
  const pacing = createSourcePacing(clock, seededRandom("x"));
  const source = createSource(pacing, clock);
  source.fails(failure("status", { retry_after_ms: 120_000 }));
  expect(source.pause()).toBe(120_000);
  expect(source.pause(createSourcePacing(clock, seededRandom("y")))).toBe(0);
  source.succeeds();
  source.fails(failure("status", { retry_after_ms: 1e12 }));
  expect([source.pause(), source.isDisabled()]).toEqual([DAY, false]);
});

test.each([429, 503])("leaves one alone in every process whose server asked to wait with %i", (status) => {
  const clock = fixedClock(0);
  const pacing = createSourcePacing(clock, seededRandom("x"));
  const source = createSource(pacing, clock);
  source.fails(failure("status", { status, retry_after_ms: 600_000 }));
  expect(source.pause(createSourcePacing(clock, seededRandom("y")))).toBe(600_000);
});

test("asks one that is gone, or failed 20 times in a row, once a day, in every process", () => {
  const clock = fixedClock(0);
  const pacing = createSourcePacing(clock, seededRandom("x"));
  const other = createSourcePacing(clock, seededRandom("y"));
  const [gone, down] = [createSource(pacing, clock), createSource(pacing, clock, "https://b.example/")];
  gone.fails(failure("gone"));
  expect([gone.pause(), gone.pause(other), gone.isDisabled()]).toEqual([DAY, DAY, true]);
  for (let n = 0; n < 19; n++) down.fails(failure("network"));
  expect([down.pause(other), down.isDisabled()]).toEqual([0, false]);
  down.fails(failure("network"));
  expect([down.pause(), down.pause(other), down.isDisabled()]).toEqual([DAY, DAY, true]);
  down.succeeds();
  expect([down.pause(other), down.isDisabled()]).toEqual([0, false]);
});

test("neither pauses nor disables a file", () => {
  const clock = fixedClock(0);
  const file = createSource(createSourcePacing(clock, seededRandom("x")), clock, "feeds/a.xml");
  for (let n = 0; n < 30; n++) file.fails(failure("not_found"));
  expect([file.pause(), file.isDisabled()]).toEqual([0, false]);
});

test("does not wait out a pause that a clock far ahead has set", () => {
  const clock = fixedClock(100 * DAY);
  const pacing = createSourcePacing(clock, seededRandom("x"));
  const source = createSource(pacing, clock);
  source.fails(failure("gone"));
  expect(source.pause()).toBe(DAY);
  clock.set(0);
  expect(source.pause()).toBe(0);
});
