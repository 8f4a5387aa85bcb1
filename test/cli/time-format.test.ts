import { describe, expect, it } from "vitest";
import {
  showAge,
  showReset,
  showShare,
  showSpan,
  showTime,
  since,
  until,
} from "../../src/cli/framework/time-format.ts";

const NOW = Date.parse("2026-11-20T04:00:00Z");
const ZONE = "+08:00";

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

  it("says how far work is, and how long the rest takes at the same rate", () => {
    expect(showShare(0, 40, 0)).toBe("0 %");
    expect(showShare(16, 40, 8000)).toBe("40 %, 12 s left");
    expect(showShare(40, 40, 20_000)).toBe("100 %, 0 s left");
  });

  it("says how long ago, or how far ahead, in one unit or two", () => {
    const ages = [0, 999, 61_000, 11_520_000, 90_000_000].map((ms) => showAge(new Date(NOW - ms).toISOString(), NOW));
    expect(ages).toEqual(["now", "now", "1 min ago", "3 h ago", "1 d ago"]);
    expect(showAge(new Date(NOW + 11_520_000).toISOString(), NOW)).toBe("in 3 h 12 min");
  });

  it("is in the zone of the quota, whatever the machine's is", () => {
    expect(showTime("2026-11-20T17:30:05.900Z", ZONE)).toBe("2026-11-21 01:30:05");
    const reset = `2026-11-21T00:00:00${ZONE}`;
    expect(showReset(reset, Date.parse("2026-11-20T12:48:00Z"))).toBe("2026-11-21 00:00:00 +08:00 (in 3 h 12 min)");
    expect(showReset(reset, Date.parse("2026-11-21T00:00:00Z"))).toMatch(/ \(now\)$/);
  });
});

describe("times that people type", () => {
  it.for<[typed: string, from: string, to?: string]>([
    ["90s", "2026-11-20T03:58:30.000Z"],
    ["3d", "2026-11-17T04:00:00.000Z"],
    ["2026-11-20", "2026-11-19T16:00:00.000Z", "2026-11-20T15:59:59.999Z"],
    ["today", "2026-11-19T16:00:00.000Z", "2026-11-20T15:59:59.999Z"],
    ["yesterday", "2026-11-18T16:00:00.000Z", "2026-11-19T15:59:59.999Z"],
    ["2026-11-20 08:30", "2026-11-20T00:30:00.000Z"],
    ["2026-11-20T08:30:00Z", "2026-11-20T08:30:00.000Z"],
    ["2026-11-20T08:30:00.5+01:00", "2026-11-20T07:30:00.500Z"],
  ])("may be a time ago, a quota day or an instant: %s", ([typed, from, to = from]) => {
    const range = [since(typed)(NOW, ZONE), until(typed)(NOW, ZONE)].map((ms) => new Date(ms).toISOString());
    expect(range).toEqual([from, to]);
  });

  it.for(["", "h", "2 hours", "-2h", "2026-02-30", "2026-11-20T25:00Z", "tomorrow", "1700000000"])(
    "are refused: %s",
    (typed) => {
      expect(() => since(typed)).toThrow(RangeError);
      expect(() => until(typed)).toThrow(
        "must be a day, today, yesterday, an ISO 8601 instant, or a time ago as 2h or 3d",
      );
    },
  );
});
