import type { FileIssue, Path } from "../file/file-issue.ts";

/** Characters that a body's generated text has at most. */
const LONGEST = 1_000_000;

/** A text that is made instead of written: `{ $repeat: ["ab", 3] }` is "ababab". */
interface Repeat {
  readonly $repeat: readonly [text: string, times: number];
}

/** What is wrong with a body: maps with `$` that make no text. */
export function checkBody(value: unknown, path: Path): FileIssue[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => checkBody(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]): FileIssue[] => {
    if (!key.startsWith("$")) return checkBody(item, [...path, key]);
    if (isRepeat(value)) return [];
    const message = `a body knows no ${key} but { $repeat: [text, times] }, up to ${LONGEST} characters.`;
    return [{ path: [...path, key], of: "key", message }];
  });
}

/** A body with its generated texts. */
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
    text.length * (times as number) <= LONGEST
  );
}
