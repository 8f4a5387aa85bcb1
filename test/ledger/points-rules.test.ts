import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createQuotaRules } from "../../src/accounts/quota-rules.ts";
import {
  decideChange,
  pointsFor,
  type Change,
  type LedgerCommand,
  type LedgerRefusal,
} from "../../src/ledger/points-rules.ts";
import { EMPTY_ACCOUNT, type Account } from "../../src/ledger/entry.ts";

const rules = createQuotaRules("+08:00");
const NOW = Date.parse("2026-11-20T04:00:00Z");
const with_ = (fields: Partial<Account>): Account => ({ ...EMPTY_ACCOUNT, ...fields });
const run = (account: Account, command: LedgerCommand, now = NOW): Change | LedgerRefusal =>
  decideChange(account, command, now, rules);

function chat(cost: number, quota: number): LedgerCommand {
  return { type: "chat_cost", cost, quota, message_id: 1, session_id: 1, route: "help", sub_intent: "fees" };
}

describe("points for an amount", () => {
  it("is the floor of the exact decimal product", () => {
    expect(pointsFor(0.29, 100)).toBe(29);
    expect(pointsFor(1.5, 10)).toBe(15);
    expect(pointsFor(1.005, 1000)).toBe(1005);
    expect(pointsFor(4.35, 100)).toBe(435);
    expect(pointsFor(0.1 + 0.2, 10)).toBe(3);
    expect(pointsFor(1.9999999999999998, 10)).toBe(19);
    expect(pointsFor(1e-8, 10)).toBe(0);
    expect(pointsFor(5e-324, 1_000_000_000)).toBe(0);
  });

  it("agrees with integer arithmetic on amounts of up to 8 decimals", () => {
    fc.assert(
      fc.property(
        fc.nat(1_000_000_000),
        fc.integer({ min: 0, max: 8 }),
        fc.integer({ min: 1, max: 10_000 }),
        (n, scale, rate) => {
          const expected = (BigInt(n) * BigInt(rate)) / 10n ** BigInt(scale);
          expect(pointsFor(Number(`${n}e-${scale}`), rate)).toBe(Number(expected));
        },
      ),
    );
  });
});

describe("exchange", () => {
  const exchange = (token_amount: number): LedgerCommand => ({
    type: "exchange",
    token_amount,
    rate: 10,
    max_amount: 1000,
  });

  it("raises balance and total earned by the points", () => {
    expect(run(with_({ balance: 5, total_earned: 9, total_spent: 4 }), exchange(1.5))).toMatchObject({
      delta: 15,
      account: { balance: 20, total_earned: 24, total_spent: 4 },
    });
  });

  it("refuses with 1009 what earns nothing, is over the largest amount, or would pass 2^53 - 1", () => {
    expect(run(EMPTY_ACCOUNT, exchange(0.09))).toMatchObject({
      code: 1009,
      message: "token_amount 0.09 earns less than 1 point at rate 10.",
    });
    expect(run(EMPTY_ACCOUNT, exchange(1000.1))).toMatchObject({
      code: 1009,
      message: "token_amount 1000.1 is over the largest exchange of 1000.",
    });
    const rich = with_({
      balance: 3,
      total_earned: Number.MAX_SAFE_INTEGER - 9,
      total_spent: Number.MAX_SAFE_INTEGER - 12,
    });
    expect(run(rich, exchange(1))).toMatchObject({ code: 1009 });
    expect(run(rich, exchange(0.9))).toMatchObject({ delta: 9, account: { total_earned: Number.MAX_SAFE_INTEGER } });
  });
});

describe("chat cost", () => {
  it("takes free uses first, then points, then refuses with 1005", () => {
    let account = with_({ balance: 3, total_earned: 3 });
    const paid: string[] = [];
    for (let n = 0; n < 6; n++) {
      const result = run(account, chat(1, 2));
      if ("code" in result) {
        paid.push(String(result.code));
        continue;
      }
      paid.push(result.details.type === "chat_cost" && result.details.free ? "free" : String(result.delta));
      account = result.account;
    }
    expect(paid).toEqual(["free", "free", "-1", "-1", "-1", "1005"]);
    expect(account).toMatchObject({ balance: 0, total_spent: 3, free_day: "2026-11-20", free_used: 2 });
  });

  it("charges neither for an answer that costs nothing", () => {
    expect(run(EMPTY_ACCOUNT, chat(0, 5))).toMatchObject({
      delta: 0,
      account: EMPTY_ACCOUNT,
      details: { free: false },
    });
  });

  it("opens a new day's uses at midnight of the offset, and none when the clock steps back", () => {
    const used = with_({ free_day: "2026-11-20", free_used: 2 });
    const midnight = Date.parse("2026-11-20T16:00:00Z");
    expect(run(used, chat(1, 2), midnight - 1)).toMatchObject({ code: 1005 });
    expect(run(used, chat(1, 2), midnight)).toMatchObject({ account: { free_day: "2026-11-21", free_used: 1 } });
    expect(run(used, chat(1, 2), midnight - 86_400_000)).toMatchObject({ code: 1005 });
  });
});

describe("adjust", () => {
  const adjust = (delta: number): LedgerCommand => ({ type: "adjust", delta, reason: "test", actor: "op" });

  it("moves both ways, and never below zero", () => {
    expect(run(EMPTY_ACCOUNT, adjust(7))).toMatchObject({ delta: 7, account: { balance: 7, total_earned: 7 } });
    expect(run(with_({ balance: 7, total_earned: 7 }), adjust(-7))).toMatchObject({
      delta: -7,
      account: { balance: 0, total_spent: 7 },
    });
    expect(run(with_({ balance: 7, total_earned: 7 }), adjust(-8))).toMatchObject({ code: 1005 });
  });
});

describe("trade reward", () => {
  it("is the floor of volume times the rate", () => {
    const reward = (volume_usd: number): LedgerCommand => ({
      type: "trade_reward",
      trade_type: "spot",
      volume_usd,
      rate: 0.01,
      max_volume_usd: 1e301,
    });
    expect(run(EMPTY_ACCOUNT, reward(1299.99))).toMatchObject({ delta: 12 });
    expect(run(EMPTY_ACCOUNT, reward(1e300))).toMatchObject({ code: 422, field: "volume_usd" });
    expect(run(EMPTY_ACCOUNT, reward(1e302))).toMatchObject({ code: 422, field: "volume_usd" });
  });
});
