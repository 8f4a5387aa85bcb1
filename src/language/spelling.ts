/** Whether two words differ by one edit: an insertion, a deletion, a substitution, or a swap of neighbours (Damerau 1964). */
export function isOneEditApart(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a === b) return false;
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let endA = a.length - 1;
  let endB = b.length - 1;
  while (endA >= start && endB >= start && a[endA] === b[endB]) {
    endA--;
    endB--;
  }
  const left = endA - start + 1;
  const right = endB - start + 1;
  if (left <= 1 && right <= 1) return true;
  return left === 2 && right === 2 && a[start] === b[endB] && a[endA] === b[start];
}

/** The word itself, or the first known word one edit away. Short words, numbers and Chinese are not changed. */
export function nearestTerm(term: string, known: Iterable<string>): string {
  if (term.length < 5 || !/^[a-z]+$/.test(term)) return term;
  for (const candidate of known) {
    if (candidate[0] === term[0] && isOneEditApart(term, candidate)) return candidate;
  }
  return term;
}
