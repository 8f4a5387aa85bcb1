import { editDistance } from "./edit-distance.ts";

/** The word with the smallest edit distance from `typed`; undefined when none is within one edit per three letters. */
export function closestMatch(typed: string, words: Iterable<string>): string | undefined {
  const target = typed.toLowerCase();
  let closest: string | undefined;
  let least = Math.max(1, Math.floor(target.length / 3)) + 1;
  for (const word of words) {
    const edits = editDistance(target, word.toLowerCase(), least);
    if (edits < least) [closest, least] = [word, edits];
  }
  return closest;
}

/** " Did you mean X?", or an empty string when no word is close. */
export function didYouMean(typed: string, words: Iterable<string>): string {
  const meant = closestMatch(typed, words);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}
