import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { canonicalJson, sha256 } from "../../src/runtime/json/canonical-json.ts";

const TEXTS = [
  "",
  "plain",
  'a "quoted" word',
  "back\\slash",
  "a/b",
  "\u0000\b\t\n\u001f",
  "~\u007f\u0080",
  "\u2028\u2029",
  "价格",
  "🪙",
  "\ud800",
  "\udc00 alone",
];

it("serializes every scalar as JSON.stringify does", () => {
  const numbers = [0, -0, 1, -1, 0.1, 1e21, 1e-7, 2 ** 53 - 1, NaN, Infinity];
  for (const value of [...TEXTS, ...numbers, true, false, null]) {
    expect(canonicalJson(value)).toBe(JSON.stringify(value));
    expect(canonicalJson([value])).toBe(JSON.stringify([value]));
    expect(canonicalJson({ [String(value)]: value })).toBe(JSON.stringify({ [String(value)]: value }));
  }
});

it("orders names by code unit, at every depth, and leaves out what is undefined", () => {
  const value = { b: { z: 1, 价: 2, "10": 3, "9": 4, A: undefined }, "": [], a: [{ y: 1, x: {} }] };
  expect(canonicalJson(value)).toBe('{"":[],"a":[{"x":{},"y":1}],"b":{"10":3,"9":4,"z":1,"价":2}}');
});

it("orders names whichever other objects came before, with the same first name or as many names", () => {
  for (let at = 0; at < 200; at++) {
    const other = `x${at % 90}`;
    expect(canonicalJson({ z: at, [other]: 1 })).toBe(`{"${other}":1,"z":${at}}`);
    expect(canonicalJson({ z: at, a: { [other]: 1, b: 2 } })).toBe(`{"a":{"b":2,"${other}":1},"z":${at}}`);
    expect(canonicalJson({ z: at })).toBe(`{"z":${at}}`);
  }
});

it("hashes the UTF-8 of a text", () => {
  for (const text of TEXTS) expect(sha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
});
