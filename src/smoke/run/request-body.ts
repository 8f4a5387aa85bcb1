import type { InvalidField, ValuePath } from "../../contract/validate.ts";

/** Longest generated text, in characters. */
const MAX_CHARACTERS = 1_000_000;

/** A generated text: `{ $repeat: ["ab", 3] }` is "ababab". */
interface Repeat {
  readonly $repeat: readonly [text: string, times: number];
}

/** The errors of a body: keys with `$` other than a valid `$repeat`. */
export function checkBody(value: unknown, path: ValuePath): InvalidField[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => checkBody(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]): InvalidField[] => {
    if (!key.startsWith("$")) return checkBody(item, [...path, key]);
    if (isRepeat(value)) return [];
    const message = `${key} is not supported in a body; only { $repeat: [text, times] } is, up to ${MAX_CHARACTERS} characters.`;
    return [{ path: [...path, key], of: "key", message }];
  });
}

/** A body with each `$repeat` replaced by its text. */
export function generateBody(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(generateBody);
  if (typeof value !== "object" || value === null) return value;
  if (isRepeat(value)) return value.$repeat[0].repeat(value.$repeat[1]);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, generateBody(item)]));
}

function isRepeat(value: object): value is Repeat {
  const given: unknown = Reflect.get(value, "$repeat");
  if (!Array.isArray(given) || given.length !== 2 || Object.keys(value).length !== 1) return false;
  const [text, times] = given as unknown[];
  return (
    typeof text === "string" &&
    Number.isInteger(times) &&
    (times as number) >= 0 &&
    text.length * (times as number) <= MAX_CHARACTERS
  );
}
