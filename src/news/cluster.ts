import { termsOf } from "./terms.ts";

/** What clustering reads of an item. */
export interface Headline {
  readonly title: string;
  readonly summary: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Stories: indices of the headlines that tell the same event, the most central first. */
export function clusterHeadlines(headlines: readonly Headline[]): number[][] {
  const documents = headlines.map(({ title, summary }) => termsOf(`${title} ${summary}`));
  const frequency = new Map<string, number>();
  for (const terms of documents) for (const term of terms.keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const vectors = documents.map((terms) => {
    const weights = new Map(
      Array.from(terms, ([term, count]) => [
        term,
        (1 + Math.log(count)) * Math.log(1 + headlines.length / frequency.get(term)!),
      ]),
    );
    const norm = Math.hypot(...weights.values()) || 1;
    return new Map(Array.from(weights, ([term, weight]) => [term, weight / norm]));
  });
  const clusters: { members: number[]; centroid: Map<string, number> }[] = [];
  for (const [index, vector] of vectors.entries()) {
    let best: { cluster: (typeof clusters)[number]; similarity: number } | undefined;
    for (const cluster of clusters) {
      let dot = 0;
      for (const [term, weight] of vector) dot += weight * (cluster.centroid.get(term) ?? 0);
      const similarity = dot / Math.sqrt(cluster.members.length);
      if (similarity > (best?.similarity ?? 0.22)) best = { cluster, similarity };
    }
    const target = best?.cluster ?? { members: [], centroid: new Map<string, number>() };
    if (best === undefined) clusters.push(target);
    target.members.push(index);
    for (const [term, weight] of vector) target.centroid.set(term, (target.centroid.get(term) ?? 0) + weight);
  }
  return clusters.map(({ members }) => members);
}
