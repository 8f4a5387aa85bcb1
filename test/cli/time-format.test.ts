import { describe, expect, it } from "vitest";
import { sparkline } from "../../src/cli/terminal/sparkline.ts";
import { showAge, showLocal, showReset, showSpan, since, until } from "../../src/cli/framework/time-format.ts";

const NOW = Date.parse("2026-11-20T04:00:00Z");
/** An instant of the zone that the tests run in; others are tried with a terminal. */
const local = (year: number, month: number, day: number, hours = 0, minutes = 0, seconds = 0): Date =>
  new Date(year, month, day, hours, minutes, seconds);

describe("times that people read", () => {
  it.for<[ms: number, words: string]>([
    [0, "0 s"],
    [59_999, "59 s"],
    [60_000, "1 min"],
    [3_599_999, "59 min"],
    [3_600_000, "1 h"],
    [11_520_000, "3 h 12 min"],
    [86_400_000, "1 d"],
    [90_000_000, "1 d 1 h"],
  ])("formats %s ms", ([ms, words]) => {
    expect(showSpan(ms)).toBe(words);
  });

  it("says how long ago, or how far ahead, in one unit or two", () => {
    const ages = [0, 999, 61_000, 11_520_000, 90_000_000].map((ms) => showAge(new Date(NOW - ms).toISOString(), NOW));
    expect(ages).toEqual(["now", "now", "1 min ago", "3 h ago", "1 d ago"]);
    expect(showAge(new Date(NOW + 11_520_000).toISOString(), NOW)).toBe("in 3 h 12 min");
  });

  it("is local", () => {
    expect(showLocal(local(2026, 10, 21, 1, 30, 5).toISOString())).toBe("2026-11-21 01:30:05");
    expect(showReset(local(2026, 10, 21).toISOString(), local(2026, 10, 20, 20, 48).getTime())).toBe(
      "2026-11-21 00:00:00 (in 3 h 12 min)",
    );
    expect(showReset(local(2026, 10, 21).toISOString(), local(2026, 10, 22).getTime())).toMatch(/ \(now\)$/);
  });
});

describe("times that people type", () => {
  it("may be a time ago, a local day or an instant", () => {
    expect(since("90s")(NOW)).toBe(NOW - 90_000);
    expect(since("2h")(NOW)).toBe(NOW - 7_200_000);
    expect(until("3d")(NOW)).toBe(NOW - 3 * 86_400_000);
    expect(since("2026-11-20")(NOW)).toBe(local(2026, 10, 20).getTime());
    expect(until("2026-11-20")(NOW)).toBe(local(2026, 10, 21).getTime() - 1);
    expect(since("2026-11-20 08:30")(NOW)).toBe(local(2026, 10, 20, 8, 30).getTime());
    expect(until("2026-11-20T08:30:00Z")(NOW)).toBe(Date.parse("2026-11-20T08:30:00Z"));
    expect(since("2026-11-20T08:30:00.5+01:00")(NOW)).toBe(Date.parse("2026-11-20T07:30:00.500Z"));
  });

  it.for(["", "h", "2 hours", "-2h", "2026-02-30", "2026-11-20T25:00Z", "tomorrow", "1700000000"])(
    "are refused: %s",
    (typed) => {
      expect(() => since(typed)).toThrow(RangeError);
      expect(() => until(typed)).toThrow("must be a day, an ISO 8601 instant, or a time ago as 2h or 3d");
    },
  );
});

it("draws values as bars, by the largest, several to a bar where there is no room", () => {
  expect(sparkline([0, 1, 4, 8], 10)).toBe(" ▁▄█");
  expect(sparkline([0, 0], 10)).toBe("  ");
  expect(sparkline([8, 1, 0, 4], 2)).toBe("█▄");
  expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8, 9], 4)).toHaveLength(3);
});
