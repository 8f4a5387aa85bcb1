/** The Jaccard similarity of two texts by their different words, 0 to 1; 0 for two without any. */
export function jaccard(a: readonly string[], b: readonly string[]): number {
  const other = new Set(b);
  const shared = a.filter((word) => other.has(word)).length;
  return shared === 0 ? 0 : shared / (a.length + b.length - shared);
}
