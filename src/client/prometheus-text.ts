import { groupBy } from "../runtime/group-by.ts";

type Sample = { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number };
/** The samples of a text in the format of Prometheus, by the name of the metric. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;
/** Reads such a text. Lines that are not samples are skipped. */
export const readSamples = (text: string): Samples => groupBy(text.split("\n").flatMap(readSample), ({ name }) => name);

function readSample(line: string): Sample[] {
  const end = line.lastIndexOf(" ");
  if (line.startsWith("#") || end < 1) return [];
  const [name, list = ""] = line.slice(0, end).split("{", 2);
  const labels = list.matchAll(/(?<!\w)(\w+)="((?:[^"\\]|\\.)*)"/g);
  const entries = Array.from(labels, ([, key, value]) => [key!, value!.replace(/\\(["\\])/g, "$1")] as const);
  return [{ name: name!, labels: Object.fromEntries(entries), value: numberOf(line.slice(end + 1)) }];
}

const numberOf = (text: string): number => Number(text.replace("Inf", "Infinity"));

/** A quantile of a histogram's buckets in order, estimated within a bucket as Prometheus' `histogram_quantile` does. */
export function quantileOf(samples: readonly Sample[], quantile: number): number {
  const buckets = samples.map(({ labels, value: count }) => ({ to: numberOf(labels["le"] ?? ""), count }));
  const rank = quantile * (buckets.at(-1)?.count ?? 0);
  const at = buckets.findIndex(({ count }) => count >= rank);
  const before = buckets[at - 1] ?? { to: 0, count: 0 };
  const { to, count } = buckets[at] ?? before;
  if (to === Infinity || count === before.count) return before.to;
  return before.to + ((to - before.to) * (rank - before.count)) / (count - before.count);
}
