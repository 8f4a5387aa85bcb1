/** The Damerau–Levenshtein distance of two words (1964, as optimal string alignment), at most `most` + 1. */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      let edits = Math.min(last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1), last[j]! + 1, row[j - 1]! + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) edits = Math.min(edits, beforeLast[j - 2]! + 1);
      row.push(edits);
    }
    if (Math.min(...row) > max) return max + 1;
    [beforeLast, last] = [last, row];
  }
  return Math.min(last[b.length]!, max + 1);
}

/** The word with the smallest edit distance from `typed`; undefined when none is within one edit per three letters. */
export function closestMatch(typed: string, words: Iterable<string>): string | undefined {
  const target = typed.toLowerCase();
  let closest: string | undefined;
  let fewest = Math.max(1, Math.floor(target.length / 3)) + 1;
  for (const word of words) {
    const edits = editDistance(target, word.toLowerCase(), fewest);
    if (edits < fewest) [closest, fewest] = [word, edits];
  }
  return closest;
}

/** " Did you mean X?", or an empty string when no word is close. */
export function didYouMean(typed: string, words: Iterable<string>): string {
  const meant = closestMatch(typed, words);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}
