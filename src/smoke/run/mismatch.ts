/** Where an answer is not as expected. Both sides are words for people: JSON, or what a matcher wants. */
export interface Mismatch {
  /** As `data.items[0].delta`. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
  readonly hint?: string;
}

/** Finds the mismatches of `actual`, undefined where there is nothing. */
export type Compare = (expected: unknown, actual: unknown, path: string) => readonly Mismatch[];

/** The mismatch of a value that is not as `expected` says. */
export function differs(path: string, expected: string, actual: unknown): Mismatch {
  return { path, expected, got: show(actual) };
}

/** Characters of a value that a report shows. */
const LONGEST = 200;

/** A value in one line, as JSON, cut where it is long. */
export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const characters = Array.from(JSON.stringify(value));
  if (characters.length <= LONGEST) return characters.join("");
  return `${characters.slice(0, LONGEST).join("")}… (${characters.length} characters)`;
}
