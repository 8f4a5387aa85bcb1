/**
 * The word with the smallest edit distance from `typed`; undefined when none is within one edit per three letters.
 */
export function closestMatch(typed: string, words: Iterable<string>): string | undefined {
  const target = typed.toLowerCase();
  let closest: string | undefined;
  let least = Math.max(1, Math.floor(target.length / 3)) + 1;
  for (const word of words) {
    const edits = editDistance(target, word.toLowerCase());
    if (edits < least) [closest, least] = [word, edits];
  }
  return closest;
}

/** " Did you mean X?", or an empty string when no word is close. */
export function didYouMean(typed: string, words: Iterable<string>): string {
  const meant = closestMatch(typed, words);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}

/** Optimal string alignment distance: insertions, deletions, substitutions and swaps of two neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let edits = Math.min(last[j - 1]! + (same ? 0 : 1), last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, before[j - 2]! + 1);
      row.push(edits);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
