import { z } from "zod";
import type { InvalidField, ValuePath } from "../../contract/validation/validate-value.ts";
import { itemsOf, mapItems } from "../../runtime/json/json-values.ts";

const MAX_CHARACTERS = 1_000_000; // Longest generated text, in characters.

/** A generated text: `{ $repeat: ["ab", 3] }` is "ababab". */
const repeat = z
  .strictObject({ $repeat: z.tuple([z.string(), z.int().min(0)]) })
  .refine(({ $repeat: [text, times] }) => text.length * times <= MAX_CHARACTERS);

/** The errors of a body: keys with `$` other than a valid `$repeat`. */
export const checkBody = (value: unknown, path: ValuePath): InvalidField[] =>
  itemsOf(value).flatMap(([key, item]): InvalidField[] => {
    if (!String(key).startsWith("$")) return checkBody(item, [...path, key]);
    if (repeat.safeParse(value).success) return [];
    const message = `${key} is not supported in a body; only { $repeat: [text, times] } is, up to ${MAX_CHARACTERS} characters.`;
    return [{ path: [...path, key], of: "key", message }];
  });

/** A body with each `$repeat` replaced by its text. */
export function generateBody(value: unknown): unknown {
  const { data } = repeat.safeParse(value);
  return data === undefined ? mapItems(value, generateBody) : data.$repeat[0].repeat(data.$repeat[1]);
}
