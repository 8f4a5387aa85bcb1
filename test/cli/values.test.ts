import { expect, it } from "vitest";
import {
  amount,
  delta,
  expiry,
  idempotencyKey,
  instant,
  integer,
  oneOf,
  text,
  userId,
} from "../../src/cli/params/param.ts";

const NOW = Date.parse("2026-11-20T00:00:00Z");

/** A reader, what it takes and as what, and what it refuses with which words. */
const READERS: readonly {
  readonly name: string;
  readonly read: (typed: string) => unknown;
  readonly takes: readonly (readonly [typed: string, value: unknown])[];
  readonly refuses: readonly (readonly [typed: string, words: string])[];
}[] = [
  {
    name: "integer",
    read: integer(0, 10),
    takes: [
      ["0", 0],
      ["-0", 0],
      ["+7", 7],
      [" 10 ", 10],
    ],
    refuses: [
      ["11", "from 0 to 10"],
      ["-1", "from 0 to 10"],
      ["1.0", "integer"],
      ["1e1", "integer"],
      ["", "integer"],
      ["0x1", "integer"],
    ],
  },
  {
    name: "delta",
    read: delta,
    takes: [
      ["-5", -5],
      ["9007199254740991", 9_007_199_254_740_991],
    ],
    refuses: [
      ["0", "must not be 0"],
      ["-0", "must not be 0"],
      ["9007199254740992", "must be an integer"],
      ["٣", "must be an integer"],
    ],
  },
  {
    name: "amount",
    read: amount,
    takes: [
      ["1.5", 1.5],
      [".29", 0.29],
      ["1e3", 1000],
      ["0.000000000000001", 1e-15],
      ["100000000000000000000", 1e20],
    ],
    refuses: [
      ["0", "greater than 0"],
      ["-1", "greater than 0"],
      ["1e-999", "greater than 0"],
      ["1e999", "decimal number"],
      ["0x10", "decimal number"],
      ["NaN", "decimal number"],
      ["Infinity", "decimal number"],
      ["1,5", "decimal number"],
      [".", "decimal number"],
      ["", "decimal number"],
      ["1.2345678901234567", "15 significant digits"],
    ],
  },
  {
    name: "instant",
    read: instant,
    takes: [
      ["2026-11-20T00:00:00Z", NOW],
      ["2026-11-20T08:00+08:00", NOW],
      ["2028-02-29T00:00:00.000Z", Date.parse("2028-02-29T00:00:00Z")],
    ],
    refuses: [
      ["2026-11-20", "ISO 8601"],
      ["2026-11-20T00:00:00", "with an offset"],
      ["2026-02-30T00:00:00Z", "ISO 8601"],
      ["2026-11-20T24:30:00Z", "ISO 8601"],
      ["1763596800000", "ISO 8601"],
    ],
  },
  {
    name: "expiry",
    read: (typed) => expiry(typed)(NOW),
    takes: [
      ["never", undefined],
      ["30d", NOW + 30 * 86_400_000],
      ["12h", NOW + 12 * 3_600_000],
      ["2026-12-01T00:00:00Z", Date.parse("2026-12-01T00:00:00Z")],
    ],
    refuses: [
      ["0d", "days as 30d"],
      ["0h", "hours as 12h"],
      ["soon", "days as 30d"],
      ["2026-02-30T00:00:00Z", "ISO 8601"],
    ],
  },
  {
    name: "text",
    read: text(3),
    takes: [
      [" abc ", "abc"],
      ["🙂🙂🙂", "🙂🙂🙂"],
    ],
    refuses: [
      ["abcd", "at most 3"],
      [" ", "must not be empty"],
      ["a\tb", "control"],
      ["\ud800", "well-formed"],
    ],
  },
  {
    name: "userId",
    read: userId,
    takes: [
      ["用户 1", "用户 1"],
      ["../etc", "../etc"],
    ],
    refuses: [
      ["x".repeat(129), "at most 128"],
      ["a\0b", "control"],
    ],
  },
  {
    name: "oneOf",
    read: oneOf("zh", "en"),
    takes: [["zh", "zh"]],
    refuses: [
      ["fr", 'must be one of zh, en, not "fr"'],
      ["ZH", "must be one of"],
    ],
  },
  {
    name: "idempotencyKey",
    read: idempotencyKey,
    takes: [["order-42", "order-42"]],
    refuses: [
      ["a b", "printable ASCII"],
      ["", "printable ASCII"],
      ["é", "printable ASCII"],
      ["x".repeat(129), "1 to 128"],
    ],
  },
];

it.for(READERS)("$name accepts valid values and reports what is wrong with others", ({ read, takes, refuses }) => {
  for (const [typed, value] of takes) expect(read(typed), typed).toBe(value);
  for (const [typed, words] of refuses) {
    expect(() => read(typed), typed).toThrow(RangeError);
    expect(() => read(typed), typed).toThrow(words);
  }
});
