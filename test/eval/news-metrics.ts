/** How well predicted groups match gold ones. */
export interface ClusterScores {
  readonly clusters: number;
  readonly b3Precision: number;
  readonly b3Recall: number;
  readonly b3F1: number;
  readonly pairF1: number;
  readonly nmi: number;
}

/**
 * B-cubed precision, recall and F1 (Bagga and Baldwin 1998; Amigó et al. 2009), F1 over pairs, and normalised mutual
 * information with the arithmetic mean of the entropies.
 */
export function scoreClusters(predicted: readonly string[], gold: readonly string[]): ClusterScores {
  const n = predicted.length;
  const inPredicted = tally(predicted);
  const inGold = tally(gold);
  const both = tally(predicted.map((label, index) => `${label}\n${gold[index]!}`));
  let precision = 0;
  let recall = 0;
  let information = 0;
  for (const [pair, shared] of both) {
    const [label = "", story = ""] = pair.split("\n");
    const a = inPredicted.get(label)!;
    const b = inGold.get(story)!;
    precision += (shared * shared) / a / n;
    recall += (shared * shared) / b / n;
    information += (shared / n) * Math.log((shared * n) / (a * b));
  }
  const pairs = (counts: ReadonlyMap<string, number>): number =>
    Array.from(counts.values()).reduce((sum, count) => sum + (count * (count - 1)) / 2, 0);
  const entropy = (counts: ReadonlyMap<string, number>): number =>
    Array.from(counts.values()).reduce((sum, count) => sum - (count / n) * Math.log(count / n), 0);
  return {
    clusters: inPredicted.size,
    b3Precision: precision,
    b3Recall: recall,
    b3F1: (2 * precision * recall) / (precision + recall),
    pairF1: (2 * pairs(both)) / (pairs(inPredicted) + pairs(inGold) || 1),
    nmi: (2 * information) / (entropy(inPredicted) + entropy(inGold) || 1),
  };
}

function tally(labels: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}
