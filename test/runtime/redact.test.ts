import fc from "fast-check";
import { expect, it } from "vitest";
import { redactEchoes } from "../../src/runtime/redact.ts";

it("takes out what a message repeats, whole or in part, and leaves the rest", () => {
  const question = "How do I withdraw 5 BTC to bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh?";
  expect(redactEchoes(`content filter: "${question}" is not allowed`, question)).toBe(
    'content filter: "[…]" is not allowed',
  );
  expect(redactEchoes("near 'bc1qxy2kgdygjrsq…'", question)).toBe("near '[…]…'");
  expect(redactEchoes("余额不足：我的提现地址是什么呀请告诉我", "请问我的提现地址是什么呀")).toBe(
    "余额不足：[…]请告诉我",
  );
  expect(redactEchoes("rate limit reached", question)).toBe("rate limit reached");
  expect(redactEchoes("", question)).toBe("");
});

it("leaves no run of eight characters of the secret in the text", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 0, maxLength: 40 });
  fc.assert(
    fc.property(word, word, word, (before, secret, after) => {
      const clean = redactEchoes(before + secret + after, secret);
      for (let at = 0; at + 8 <= secret.length; at++) expect(clean).not.toContain(secret.slice(at, at + 8));
    }),
  );
});
