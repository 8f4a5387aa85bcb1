import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import { offsetMinutes } from "../../src/runtime/clock.ts";

const at = (iso: string): number => Date.parse(iso);

describe("quota day", () => {
  const rules = createQuotaRules("+08:00");

  it("runs from midnight to midnight at the offset", () => {
    expect(rules.dayOf(at("2026-11-20T15:59:59.999Z"), "")).toBe("2026-11-20");
    expect(rules.dayOf(at("2026-11-20T16:00:00Z"), "")).toBe("2026-11-21");
  });

  it("gives the next reset with the offset, across months, years and leap days", () => {
    const next = (iso: string): string => rules.stateOf({ day: "", used: 0 }, 5, at(iso)).next_reset_at;
    expect(next("2026-11-20T00:00:00Z")).toBe("2026-11-21T00:00:00+08:00");
    expect(next("2026-12-31T10:00:00Z")).toBe("2027-01-01T00:00:00+08:00");
    expect(next("2028-02-28T10:00:00Z")).toBe("2028-02-29T00:00:00+08:00");
  });

  it("never goes back to an earlier day, nor opens its uses again", () => {
    const use = { day: "2026-11-21", used: 5 };
    expect(rules.stateOf(use, 5, at("2026-11-20T00:00:00Z"))).toEqual({
      free_daily_quota: 5,
      free_daily_used: 5,
      remaining_free_quota: 0,
      next_reset_at: "2026-11-22T00:00:00+08:00",
    });
  });

  it("counts a day after tomorrow as none: a clock that was wrong once locks nobody out", () => {
    const use = { day: "2031-01-01", used: 5 };
    const now = at("2026-11-20T00:00:00Z");
    expect(rules.dayOf(now, use.day)).toBe("2026-11-20");
    expect(rules.stateOf(use, 5, now)).toMatchObject({
      free_daily_used: 0,
      next_reset_at: "2026-11-21T00:00:00+08:00",
    });
    expect(rules.dayOf(now, "2026-11-21")).toBe("2026-11-21");
    expect(rules.dayOf(now, "2026-11-22")).toBe("2026-11-20");
  });

  it("shows no negative rest when the quota was lowered below what is used", () => {
    const state = rules.stateOf({ day: "2026-11-20", used: 5 }, 3, at("2026-11-20T00:00:00Z"));
    expect(state).toMatchObject({ free_daily_used: 5, remaining_free_quota: 0 });
  });

  it("resets exactly when it says it will, at any offset and instant", () => {
    const offset = fc.constantFrom("+08:00", "Z", "-03:30", "+14:00", "-12:00", "+05:45");
    fc.assert(
      fc.property(offset, fc.integer({ min: 0, max: 4_000_000_000_000 }), (timezone, now) => {
        const any = createQuotaRules(timezone);
        const use = { day: any.dayOf(now, ""), used: 2 };
        const reset = at(any.stateOf(use, 5, now).next_reset_at);
        expect(reset).toBeGreaterThan(now);
        expect(reset - now).toBeLessThanOrEqual(86_400_000);
        expect(any.stateOf(use, 5, reset - 1).free_daily_used).toBe(2);
        expect(any.stateOf(use, 5, reset).free_daily_used).toBe(0);
      }),
    );
  });
});

describe("quota offset", () => {
  it("takes fixed offsets and refuses anything else", () => {
    expect(offsetMinutes("+08:00")).toBe(480);
    expect(offsetMinutes("-03:30")).toBe(-210);
    for (const bad of ["8", "+8:00", "+15:00", "Asia/Shanghai", "", "+08:60"])
      expect(offsetMinutes(bad)).toBeUndefined();
    expect(() => createQuotaRules("Asia/Shanghai")).toThrow("quota.timezone");
  });
});
