import { expect, it } from "vitest";
import { z } from "zod";
import { printField, validate } from "../../src/contract/validation/validate-value.ts";

const schema = z.strictObject({
  limit: z.int().min(1).max(20),
  amount: z.number().gt(0),
  mode: z.enum(["view", "full"]),
  text: z.string().min(2),
  tags: z.array(z.string()).min(1),
  page: z.int().min(1),
  id: z.union([z.string(), z.number()]),
});
const VALID = { limit: 1, page: 1, amount: 0.5, mode: "view", text: "ab", tags: ["x"], id: 7 };

function errorsOf(changes: object): string[] {
  const checked = validate(schema, { ...VALID, ...changes });
  return checked.valid ? [] : checked.errors.map((error) => printField(error));
}

it.each<[object, string]>([
  [{ limit: 21 }, "limit: must be an integer from 1 to 20, not 21"],
  [{ limit: 1e20 }, "limit: must be an integer from 1 to 20, not 100000000000000000000"],
  [{ limit: -1e20 }, "limit: must be an integer from 1 to 20, not -100000000000000000000"],
  [{ page: 1e20 }, "page: must be at most 9007199254740991"],
  [{ limit: "5" }, 'limit: must be an integer from 1 to 20, not "5"'],
  [{ limit: undefined }, "limit: is required"],
  [{ amount: 0 }, "amount: must be a number greater than 0, not 0"],
  [{ amount: Infinity }, "amount: must be a finite number"],
  [{ mode: "ful" }, 'mode: must be one of view, full, not "ful"; did you mean full?'],
  [{ tags: [] }, "tags: must not be empty"],
  [{ tags: "x" }, "tags: must be an array, not a string"],
  [{ tags: ["x", 5] }, "tags.1: must be a string, not a number"],
  [{ id: null }, "id: must be a string or a number, not null"],
  [{ limt: 1 }, "limt: is not a known key. Did you mean limit?"],
])("words the error of %j with the field, the bound and the given value", (changes, message) => {
  expect(errorsOf(changes)).toEqual([message]);
});

it("reports every error, and does not repeat a text, which may be a question or a secret", () => {
  expect(errorsOf({ text: "s", limit: { hush: 1 }, zzzzzz: "hush" })).toEqual([
    "limit: must be an integer from 1 to 20, not an object",
    "text: must have at least 2 characters",
    "zzzzzz: is not a known key. Known keys: limit, amount, mode, text, tags, page, id",
  ]);
});
