import fc from "fast-check";
import { expect, test } from "vitest";
import { applyPatch, patchOf } from "../../../src/news/snapshot/line-patch.ts";

const line = fc
  .oneof(fc.constantFrom("{", "a", "b", "", "},"), fc.string({ maxLength: 3 }))
  .map((text) => text.replaceAll("\n", "").replace(/^@+/, ""));
const text = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => lines.join("\n"));

test("patches make the last of any texts of the first", () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), ([first, ...others]) => {
      const all = [first!, ...others];
      const patches = others.map((after, at) => patchOf(all[at]!, after));
      expect(applyPatch(first!, patches)).toBe(all.at(-1));
    }),
  );
});

test("a patch holds what is new", () => {
  const lines = Array.from({ length: 1000 }, (_, n) => `{"id":${n}}`);
  const after = ["{new}", ...lines.slice(0, 400), ...lines.slice(410), "{last}"];
  expect(patchOf(lines.join("\n"), after.join("\n")).split("\n").slice(1)).toEqual([
    "{new}",
    "@0 400",
    "@410 1000",
    "{last}",
  ]);
});

test("a patch of another text, or a damaged one, makes nothing", () => {
  const patch = patchOf("a\nb\nc", "a\nx\nc");
  expect(applyPatch("a\nb\nd", [patch])).toBeUndefined();
  expect(applyPatch("a\nb\nc", [patch.replace("x", "y")])).toBeUndefined();
  expect(
    applyPatch(
      "a\nb\nc",
      ["", "@", "@9 -1\n@x y"].map((torn) => patch.slice(0, 64) + torn),
    ),
  ).toBeUndefined();
});
