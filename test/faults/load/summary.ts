import type { Call } from "./history.ts";

/** What a run came to, gathered in flat memory as it goes by. */
export interface Summary {
  /** One answer: what was asked, how it ended, and how long it took in ms; Infinity when it did not end. */
  count(kind: string, end: string, ms: number): void;
  add(calls: readonly Call[]): void;
  /** How many there were, how they ended, and how long they took. */
  lines(): string[];
}

/** Latencies are counted in buckets that grow by 5%. */
const GROWTH = Math.log(1.05);
const FINEST_MS = 0.05;
const BUCKETS = 400;

interface Latencies {
  count: number;
  longest: number;
  readonly buckets: number[];
}

export function createSummary(): Summary {
  const ends = new Map<string, number>();
  const kinds = new Map<string, Latencies>();

  const summary: Summary = {
    count(kind, end, ms) {
      ends.set(end, (ends.get(end) ?? 0) + 1);
      if (ms === Infinity) return;
      const of = kinds.get(kind) ?? { count: 0, longest: 0, buckets: Array<number>(BUCKETS).fill(0) };
      kinds.set(kind, of);
      of.buckets[Math.min(BUCKETS - 1, Math.max(0, Math.floor(Math.log(ms / FINEST_MS) / GROWTH)))]! += 1;
      of.count++;
      of.longest = Math.max(of.longest, ms);
    },
    add(calls) {
      for (const { asked, from, to, answer } of calls) {
        summary.count(asked.request.kind, endOf(answer), (to - from) / 1e6);
      }
    },
    lines() {
      const total = [...ends.values()].reduce((sum, count) => sum + count, 0);
      const list = [...ends].sort().map(([end, count]) => `${count} ${end}`);
      return [`${total} calls: ${list.join(", ")}`, ...[...kinds].sort().map(([kind, of]) => `${kind}: ${tell(of)}`)];
    },
  };
  return summary;
}

function tell(of: Latencies): string {
  const quantile = (part: number): number => {
    let left = of.count * part;
    const at = of.buckets.findIndex((bucket) => (left -= bucket) <= 0);
    return FINEST_MS * Math.exp(GROWTH * (at + 1));
  };
  const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
  return `${of.count} answers, p50 ${ms(quantile(0.5))}, p99 ${ms(quantile(0.99))}, longest ${ms(of.longest)}`;
}

function endOf(answer: Call["answer"]): string {
  if (answer === undefined) return "unanswered";
  if (answer.status === "done") return answer.replayed ? "replayed" : "done";
  return answer.status === "refused" ? `refused (${answer.code})` : `failed (${answer.message.slice(0, 60)})`;
}
