import { closestMatch } from "./edit-distance.ts";

/** What is wrong with a value that is none of the known words: `must be one of zh, en, not "fr"`. */
export function notOneOfMessage(words: readonly string[], given: unknown): string {
  const meant = typeof given === "string" ? closestMatch(given, words) : undefined;
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return `must be one of ${words.join(", ")}, not ${describeGiven(given)}${hint}`;
}

/** The error for a value that breaks a rule: `must be an integer, not "x"`. */
export const invalidValue = (rule: string, given: unknown) => new RangeError(`${rule}, not ${describeGiven(given)}`);

const SHOWN_CHARACTERS = 60; // Longest given text that a message repeats, in characters.

/** A given value for a message: short scalars as JSON, anything else by its type. */
export function describeGiven(value: unknown): string {
  if (typeof value === "string" && value.length > SHOWN_CHARACTERS) return `a text of ${value.length} characters`;
  return typeof value === "object" && value !== null ? describeType(value) : JSON.stringify(value);
}

/** The JSON type of a value with its article: `a string`, `an array`, `null`. */
export function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
