/**
 * The word that was probably meant: the one of `words` with the fewest slips (a letter too many, too few, another, or two
 * swapped) from `typed`; undefined when none is near, at most one slip in three letters.
 */
export function closestMatch(typed: string, words: Iterable<string>): string | undefined {
  const wanted = typed.toLowerCase();
  let found: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const word of words) {
    const slips = slipsBetween(wanted, word.toLowerCase());
    if (slips < least) [found, least] = [word, slips];
  }
  return found;
}

/** " Did you mean X?", or nothing when nothing is near. */
export function didYouMean(typed: string, words: Iterable<string>): string {
  const meant = closestMatch(typed, words);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}

/** Optimal string alignment distance. */
function slipsBetween(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let slips = Math.min(last[j - 1]! + (same ? 0 : 1), last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) slips = Math.min(slips, before[j - 2]! + 1);
      row.push(slips);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
