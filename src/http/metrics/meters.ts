import { Counter, Gauge, Histogram, Registry } from "prom-client";
import HELP from "./metrics.json" with { type: "json" };

/** Upper bounds of a request's or a storage call's latency, in seconds: from a cached read to a model's answer. */
export const LATENCY_BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A metric of `metrics.json`, which says what each is. */
type Name = keyof typeof HELP;

/** What counts and measures. */
export type Meters = ReturnType<typeof createMeters>;

/** Creates what counts and measures, in a registry. */
export function createMeters(registry: Registry) {
  const registers = [registry];
  return {
    counter: <L extends string>(name: Name, ...labelNames: L[]): Counter<L> =>
      new Counter({ name, help: HELP[name], labelNames, registers }),
    gauge: <L extends string>(name: Name, ...labelNames: L[]): Gauge<L> =>
      new Gauge({ name, help: HELP[name], labelNames, registers }),
    histogram: <L extends string>(name: Name, buckets: number[], ...labelNames: L[]): Histogram<L> =>
      new Histogram({ name, help: HELP[name], buckets, labelNames, registers }),
    /** A gauge that is read at each scrape; it keeps its value where that gives undefined. */
    reading: (name: Name, read: () => number | Promise<number | undefined>): void => {
      const gauge: Gauge = new Gauge({
        name,
        help: HELP[name],
        registers,
        async collect() {
          const value = await read();
          if (value !== undefined) gauge.set(value);
        },
      });
    },
    /** A counter that is read at each scrape. */
    total: (name: Name, read: () => number): Counter =>
      new Counter({
        name,
        help: HELP[name],
        registers,
        collect() {
          this.reset();
          this.inc(read());
        },
      }),
  };
}
